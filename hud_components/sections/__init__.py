"""The sections of the coding HUD, one module for each."""

"""What the coding HUD stores, says and exports, byte for byte: it stays as it is."""

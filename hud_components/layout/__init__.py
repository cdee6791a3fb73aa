"""The HUD as a whole: its layout, its budget, what it shows, and a HUD read back from its text."""

"""The HUD's vocabulary: the facts an agent keeps, and the components that show them."""

"""The formats that are known, one module each: from records to observations."""

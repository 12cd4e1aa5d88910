"""What asks or offers something over the window."""

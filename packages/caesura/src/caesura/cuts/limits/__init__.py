"""What a group of units may measure: limits that hold, and sizes near a target."""

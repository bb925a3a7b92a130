"""What is measured, with dated results."""

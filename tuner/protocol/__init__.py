"""What processes of a campaign tell each other, and how."""

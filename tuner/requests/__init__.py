"""What a campaign is asked to do, and how much each size counts."""

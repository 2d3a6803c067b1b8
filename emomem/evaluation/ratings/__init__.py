"""Human ratings: blinded packets, their import, agreement, and what the raters found."""

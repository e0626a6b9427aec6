"""What an endpoint is written with: its row in the table, who may ask, bodies, answers and refusals."""

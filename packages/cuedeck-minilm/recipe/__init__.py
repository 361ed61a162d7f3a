"""How the model file is made from the published weights."""

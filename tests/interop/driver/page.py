def write(results, peers):
    pass

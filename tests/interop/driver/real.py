def run_peer(name, peer, program, judge):
    return {}

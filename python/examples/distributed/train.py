"""One training program in five places; the loss is `model.ev` in all of them, and the result is the same.

    python train.py one              one process, NumPy
    python train.py devices          one process, four devices of JAX
    python train.py jax              two processes under jax.distributed, two devices each
    python train.py torch            two processes under torch.distributed (gloo), DistributedDataParallel
    python train.py dask             a local Dask cluster of two processes

Each prints the parameters after some steps of gradient descent.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
STEPS, RATE, SHARDS = 20, 0.2, 4


def data():
    """The observations in shards of one size."""
    random = np.random.default_rng(0)
    xs = random.uniform(-2, 2, (SHARDS, 50))
    b = 1.5 * xs - 0.7 * np.sin(xs)
    ys = np.zeros_like(b)
    for _ in range(50):  # the equilibria for stiffness log 2, by Newton's method in NumPy
        ys -= (ys**3 + 2 * ys - b) / (3 * ys**2 + 2)
    return xs, ys


def start():
    return {"stiffness": 0.0, "w": np.array([1.0, 0.0])}


def model():
    import evert

    return evert.load(HERE / "model.ev")


def show(p):
    print(json.dumps([float(p["stiffness"]), *map(float, p["w"])]), flush=True)


def one():
    import evert

    gradient = evert.grad(model().loss)
    xs, ys = data()
    p = start()
    for _ in range(STEPS):
        g = gradient(p, xs.ravel(), ys.ravel())
        p = {name: p[name] - RATE * g[name] for name in p}
    show(p)


def _steps(mesh, p, xs, ys):
    """Gradient descent on a mesh of devices: parameters everywhere, observations one shard for each."""
    import evert
    import jax
    from jax.sharding import PartitionSpec as P

    loss = evert.jax(model().loss)

    def everywhere(p, xs, ys):
        def mine(p, xs, ys):
            return jax.lax.pmean(loss(p, xs[0], ys[0]), "d")

        return jax.shard_map(mine, mesh=mesh, in_specs=(P(), P("d"), P("d")), out_specs=P())(p, xs, ys)

    @jax.jit
    def step(p, xs, ys):
        return jax.tree.map(lambda a, g: a - RATE * g, p, jax.grad(everywhere)(p, xs, ys))

    for _ in range(STEPS):
        p = step(p, xs, ys)
    return p


def devices():
    os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS=f"--xla_force_host_platform_device_count={SHARDS}")
    import jax

    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    jax.config.update("jax_enable_x64", True)
    mesh = jax.make_mesh((SHARDS,), ("d",))
    xs, ys = (jax.device_put(x, NamedSharding(mesh, P("d"))) for x in data())
    show(_steps(mesh, jax.device_put(start(), NamedSharding(mesh, P())), xs, ys))


def jax_worker(me, port):
    os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS=f"--xla_force_host_platform_device_count={SHARDS // 2}")
    import jax
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=2, process_id=int(me))
    jax.config.update("jax_enable_x64", True)
    mesh = jax.make_mesh((SHARDS,), ("d",))
    rows, copied = NamedSharding(mesh, P("d")), NamedSharding(mesh, P())
    xs, ys = (jax.make_array_from_callback(x.shape, rows, lambda i, x=x: x[i]) for x in data())
    p = jax.tree.map(lambda a: jax.make_array_from_callback(np.shape(a), copied, lambda i: np.asarray(a)[i]), start())
    p = jax.tree.map(lambda a: np.asarray(a.addressable_data(0)), _steps(mesh, p, xs, ys))
    if me == "0":
        show(p)


def torch_worker(rank, store):
    import evert
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo", init_method=f"file://{store}", rank=int(rank), world_size=2)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.loss = evert.torch(model().loss)
            self.stiffness = torch.nn.Parameter(torch.zeros((), dtype=torch.float64))
            self.w = torch.nn.Parameter(torch.tensor([1.0, 0.0], dtype=torch.float64))

        def forward(self, xs, ys):
            return self.loss({"stiffness": self.stiffness, "w": self.w}, xs, ys)

    xs, ys = (torch.from_numpy(x.reshape(2, -1)[int(rank)]) for x in data())
    network = DistributedDataParallel(Model())
    optimizer = torch.optim.SGD(network.parameters(), lr=RATE)
    for _ in range(STEPS):
        optimizer.zero_grad()
        network(xs, ys).backward()
        optimizer.step()
    if rank == "0":
        show({"stiffness": network.module.stiffness, "w": network.module.w})
    dist.destroy_process_group()


def dask():
    import evert
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        gradient = evert.grad(model().loss)  # travels as a text
        shards = [client.scatter((x, y)) for x, y in zip(*data())]
        p = start()
        for _ in range(STEPS):
            parts = client.gather([client.submit(lambda f, p, s: f(p, *s), gradient, p, s, pure=False) for s in shards])
            p = {name: p[name] - RATE * sum(g[name] for g in parts) / SHARDS for name in p}
        show(p)


def together(kind, place):
    workers = [subprocess.Popen([sys.executable, __file__, kind, str(i), place]) for i in range(2)]
    sys.exit(max(worker.wait() for worker in workers))


if __name__ == "__main__":
    how, *rest = sys.argv[1:] or ["one"]
    if how == "jax":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        together("jax_worker", port)
    elif how == "torch":
        import tempfile

        together("torch_worker", os.path.join(tempfile.mkdtemp(), "store"))
    else:
        {"one": one, "devices": devices, "dask": dask, "jax_worker": jax_worker, "torch_worker": torch_worker}[how](*rest)

"""Functions of programs inside PyTorch: its own checkers."""

import os
import subprocess
import sys
import textwrap

import pytest

torch = pytest.importorskip("torch")

import evert

m = evert.text(
    """
fn sumsin(x) = sum(sin(x))
fn quad(a, x) = sum((a @ x) * sin(x))
fn both(x, y) = (sum(x * y), x + sin(y))
fn logistic(p, x, y) = { let z = x @ p.w; {loss: mean((sigmoid(z + p.b) - y)^2), z: z} }
fn newton(a) = while_loop(x => abs(x * x - a) > 1e-12, x => (x + a / x) / 2, a)
fn counted(x, n) = (iterate(n, y => y * x, 1.0), n + 1, x > 0.5)
fn element(x, i) = x[i]
""",
    name="torch.ev",
)
double = torch.float64
sumsin, quad, both, newton, logistic, counted = (evert.torch(getattr(m, n)) for n in "sumsin quad both newton logistic counted".split())


@pytest.fixture
def x():
    return torch.linspace(0.1, 2, 5, dtype=double, requires_grad=True)


@pytest.fixture
def a():
    return torch.randn(5, 5, dtype=double, generator=torch.Generator().manual_seed(1), requires_grad=True)


def test_backward(x):
    y = sumsin(x)
    y.backward()
    assert torch.allclose(y, x.sin().sum()) and torch.allclose(x.grad, x.cos())


def test_gradcheck(x, a):
    other = (x + 1).detach().requires_grad_()
    for f, arguments in ((sumsin, (x,)), (quad, (a, x)), (both, (x, other))):
        assert torch.autograd.gradcheck(f, arguments, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(f, arguments, check_fwd_over_rev=True, check_rev_over_rev=True)


def test_functional(x, a):
    F, x, a = torch.func, x.detach(), a.detach()
    assert torch.allclose(F.grad(sumsin)(x), x.cos())
    assert torch.allclose(F.vmap(F.grad(sumsin))(a), a.cos())
    assert torch.allclose(F.vmap(sumsin, in_dims=1)(a), a.sin().sum(0))
    assert torch.allclose(F.vmap(quad, (None, 0))(a, a), torch.stack([((a @ r) * r.sin()).sum() for r in a]))
    assert torch.allclose(F.jvp(sumsin, (x,), (torch.ones_like(x),))[1], x.cos().sum())
    (f, g), pull = F.vjp(both, x, x)
    assert torch.allclose(pull((torch.ones((), dtype=double), torch.zeros_like(x)))[0], x)
    assert torch.allclose(F.jacfwd(both)(x, x)[0], x) and torch.allclose(F.jacrev(both)(x, x)[0], x)
    assert torch.allclose(F.hessian(sumsin)(x), torch.diag(-x.sin()))
    third = F.grad(F.grad(F.grad(lambda t: sumsin(t * x))))(torch.tensor(0.7, dtype=double))
    assert torch.allclose(third, (-(0.7 * x).cos() * x**3).sum())
    assert torch.allclose(F.vmap(F.grad(newton))(torch.tensor([2.0, 9.0], dtype=double)), torch.tensor([2.0**-1.5, 1 / 6], dtype=double))
    assert F.vmap(sumsin)(torch.zeros(0, 3, dtype=double)).shape == (0,)


def test_opcheck(x, a):
    for f, arguments in ((sumsin, (x,)), (quad, (a, x)), (both, (x, x))):
        found = torch.library.opcheck(*f.op(*arguments))
        assert set(found.values()) == {"SUCCESS"}


def test_compile(x, a):
    compiled = torch.compile(lambda x: sumsin(x * 2) + 1, fullgraph=True, backend="aot_eager")
    z = x.detach().clone().requires_grad_()
    compiled(z).backward()
    assert torch.allclose(z.grad, 2 * (2 * z).cos())
    trees = torch.compile(lambda p, x, y: logistic(p, x, y)["loss"], fullgraph=True, backend="aot_eager")
    p = {"w": x.detach().clone().requires_grad_(), "b": torch.tensor(0.1, dtype=double, requires_grad=True)}
    trees(p, a.detach(), x.detach()).backward()
    first = p["w"].grad.clone()
    p["w"].grad = None
    logistic(p, a.detach(), x.detach())["loss"].backward()
    assert torch.allclose(first, p["w"].grad)
    shapes = torch.compile(lambda x: sumsin(x), fullgraph=True, backend="aot_eager")
    for n in (3, 4, 5):
        assert torch.allclose(shapes(torch.ones(n, dtype=double)), n * torch.ones((), dtype=double).sin())


def test_kinds(x):
    power, after, large = counted(torch.tensor(1.5, dtype=double, requires_grad=True), 3)
    assert power.item() == 1.5**3 and after.item() == 4 and after.dtype == torch.int64 and large.dtype == torch.bool
    power.backward()
    assert sumsin(x.detach().float()).dtype == torch.float32
    half = x.detach().half().requires_grad_()
    sumsin(half).backward()
    assert half.grad.dtype == torch.float16
    strided = torch.arange(10.0, dtype=double)[::2].requires_grad_()
    assert torch.allclose(torch.func.grad(sumsin)(strided.detach()), strided.cos())
    with torch.no_grad():
        assert not sumsin(x).requires_grad
    with pytest.raises(evert.ArgumentError):
        sumsin(torch.ones(2, dtype=torch.complex64))
    with pytest.raises(evert.ArgumentError):
        sumsin("x")
    with pytest.raises(evert.Error, match="out of range"):
        evert.torch(m.element)(x, 9)


def test_a_module_with_parameters():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.zeros(2, dtype=double))
            self.b = torch.nn.Parameter(torch.zeros((), dtype=double))

        def forward(self, x, y):
            return logistic({"w": self.w, "b": self.b}, x, y)["loss"]

    model = Model()
    x = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], dtype=double)
    y = torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=double)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=50)

    def closure():
        optimizer.zero_grad()
        loss = model(x, y)
        loss.backward()
        return loss

    before = closure().item()
    optimizer.step(closure)
    assert closure().item() < 0.1 * before


@pytest.mark.long
def test_two_processes(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, sys, torch, evert
            import torch.distributed as dist
            from torch.nn.parallel import DistributedDataParallel
            rank = int(sys.argv[1])
            dist.init_process_group("gloo", init_method=f"file://{sys.argv[2]}", rank=rank, world_size=2)
            loss = evert.torch(evert.text("fn loss(w, x) = mean((w * sin(x) - x)^2)").loss)
            class Model(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.w = torch.nn.Parameter(torch.tensor(0.1, dtype=torch.float64))
                def forward(self, x): return loss(self.w, x)
            data = torch.linspace(0, 3, 200, dtype=torch.float64).reshape(2, 100)
            model = DistributedDataParallel(Model())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(10):
                optimizer.zero_grad(); model(data[rank]).backward(); optimizer.step()
            w = 0.1
            for _ in range(10):
                w -= 0.1 * (2 * (w * data.sin() - data) * data.sin()).mean().item()
            assert abs(model.module.w.item() - w) < 1e-12, (model.module.w, w)
            print("fine")
            dist.destroy_process_group()
            """
        )
    )
    command = [sys.executable, script]
    workers = [subprocess.Popen([*command, str(i), tmp_path / "store"], stdout=subprocess.PIPE) for i in range(2)]
    assert [worker.communicate(timeout=300)[0] for worker in workers] == [b"fine\n"] * 2


def test_batches_of_the_older_vmap(x):
    functional = torch.autograd.functional
    assert torch.autograd.gradcheck(sumsin, (x,), check_batched_grad=True, check_forward_ad=True, check_batched_forward_grad=True)
    assert torch.allclose(functional.hessian(sumsin, x, vectorize=True), torch.diag(-x.detach().sin()))
    identity = torch.eye(len(x), dtype=double)
    (rows,) = torch.autograd.grad(both(x, x)[1], x, identity, is_grads_batched=True)
    assert torch.allclose(rows, torch.diag(x.detach().cos()) + identity)


def test_modules_are_saved_and_copied(tmp_path, x):
    import copy
    import pickle

    assert torch.allclose(pickle.loads(pickle.dumps(sumsin))(x), x.sin().sum())
    module = Linear()
    torch.save(module, tmp_path / "module")
    for other in (torch.load(tmp_path / "module", weights_only=False), copy.deepcopy(module)):
        assert torch.allclose(other(x), module(x))
    shifted = torch.func.functional_call(module, {"w": torch.full((5,), 2.0, dtype=double)}, (x,))
    assert torch.allclose(shifted, 2 * module(x))


class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(5, dtype=double))
        self.f = evert.torch(evert.text("fn linear(p, x) = p.w * x").linear)

    def forward(self, x):
        return self.f({"w": self.w}, x)


def test_a_program_that_is_added_to_is_another_one():
    program = evert.text("let a = 2.0\nfn f(x) = a * x")
    one = torch.ones((), dtype=double)
    assert evert.torch(program.f)(one) == 2.0
    program.run("fn f(x) = (x, [x, x])")
    assert evert.torch(program.f)(one)[1].shape == (2,)

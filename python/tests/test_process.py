"""In a process that isn't ours: threads, forks, interrupts, control words, leaks."""

import ctypes
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import evert


def run(script, **options):
    """Runs a script in a process of its own; what it printed."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_threads(count, work):
    failures = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures, failures


def test_eight_threads_on_two_programs(model):
    other = evert.text("fn f(r) = {loss: sum(r.x^2), n: len(r.x)}\nfn bad(a, i) = a[i]")
    slope = evert.grad(model.root)

    def work(number):
        for i in range(200):
            a = 2.0 + number + i
            assert abs(slope(a) - 0.5 / np.sqrt(a)) < 1e-9
            x = np.full(3 + number, float(i))
            result = other.f({"x": x})
            assert result["loss"] == (x**2).sum() and result["n"] == len(x)
            if i % 50 == 0:
                with pytest.raises(evert.Error, match="out of range"):
                    other.bad(x, 100)
                assert model.total(model.Node(model.Leaf(a), model.Leaf(1.0))) == a + 1.0
                assert model.twice(lambda y: y + number, a) == a + 2 * number

    in_threads(8, work)


def test_threads_compile_at_the_same_time():
    m = evert.text("\n".join(f"fn f{i}(x) = sum([x^{i + 2} for k in 0..3])" for i in range(8)))
    in_threads(8, lambda number: [getattr(m, f"f{(number + i) % 8}")(1.0) for i in range(8)])


def test_compiled_code_runs_without_a_lock():
    m = evert.text("fn slow(n) = iterate(n, x => sin(x) + 1.0, 0.0)")
    m.slow(10)
    running, most, lock = 0, 0, threading.Lock()
    barrier = threading.Barrier(2)

    def work(number):
        barrier.wait()
        m.slow(3_000_000)

    started = time.perf_counter()
    beats = []
    thread = threading.Thread(target=lambda: in_threads(2, work))
    thread.start()
    while thread.is_alive():
        beats.append(time.perf_counter())
        time.sleep(0.002)
    # Python went on meanwhile: the GIL was free.
    assert len(beats) > 5


def test_fork(model):
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    script = """
    import os, evert, threading, time, warnings
    warnings.simplefilter("ignore")
    m = evert.text("fn f(x) = x^2\\nfn g(a, i) = a[i]\\nfn slow(f, n) = iterate(n, x => f(x), 0.0)")
    assert m.f(3.0) == 9.0
    # One thread is in the session, another in compiled code, while we fork.
    stop = False
    def busy():
        while not stop: m.slow(lambda x: x + 1.0, 2000)
    def busier():
        while not stop: evert.grad(m.f)(2.0)
    threads = [threading.Thread(target=busy, daemon=True), threading.Thread(target=busier, daemon=True)]
    [t.start() for t in threads]
    time.sleep(0.1)
    for _ in range(10):
        pid = os.fork()
        if pid == 0:
            ok = m.f(4.0) == 16.0 and evert.grad(m.f)(4.0) == 8.0
            try: m.g([1.0], 5); ok = False
            except evert.Error as e: ok = ok and e.code == "E0307"
            ok = ok and m("x => f(x) + 1.0")(2.0) == 5.0 and evert.text("fn h(x) = x^3").h(2.0) == 8.0
            os._exit(0 if ok else 1)
        for _ in range(600):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done: break
            time.sleep(0.05)
        else:
            os.kill(pid, 9); raise SystemExit("the child hangs")
        assert status == 0, status
    stop = True
    [t.join() for t in threads]
    print("fine")
    """
    assert run(script) == "fine\n"


def _square_in_child(x):
    return _child_function(x)


def test_multiprocessing(model):
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(evert.grad(model.square), [1.0, 2.0, 3.0]) == [2.0, 4.0, 6.0]


def test_the_hosts_control_word_is_restored_and_ours_is_standard():
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        pytest.skip("for x86-64")
    libm = ctypes.CDLL("libm.so.6")
    FE_UPWARD, FE_TONEAREST = 0x800, 0
    m = evert.text("fn third(x) = x / 3.0\nfn sum3(a) = sum(a / 3.0)", engine="native")
    r = evert.text("fn third(x) = x / 3.0", engine="reference")
    expected = 1.0 / 3.0
    m.third(1.0), r.third(1.0)
    try:
        assert libm.fesetround(FE_UPWARD) == 0
        found = m.third(1.0), r.third(1.0), m.sum3(np.ones(1))
        rounding = libm.fegetround()
    finally:
        libm.fesetround(FE_TONEAREST)
    assert found == (expected,) * 3 and rounding == FE_UPWARD


def test_nothing_is_printed():
    script = """
    import evert
    m = evert.text("fn f(x) = x^2\\nfn g(a) = a[3]\\nf(1.0)")
    m.f(2.0), evert.grad(m.f)(2.0)
    try: m.g([1.0])
    except evert.Error: pass
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_without_llvm_the_reference_evaluator_runs():
    script = """
    import evert
    m = evert.text("fn f(x) = x^2")
    assert m.f(3.0) == 9.0 and evert.grad(m.f)(3.0) == 6.0
    print(m.f.explain(3.0)); print(evert.engine())
    """
    out = run(script, env={**os.environ, "EVERT_LLVM": "none"})
    assert out.startswith("reference: LLVM is switched off") and "\nnone: " in out


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_hundred_thousand_calls_take_no_memory(model):
    """A million by hand: see benchmarks/leaks.py."""
    x = np.arange(100.0)
    p = {"w": x, "b": 1.0}
    slope = evert.grad(model.rosenbrock)
    tree = model.Node(model.Leaf(1.0), model.Leaf(2.0))

    def calls(count):
        for i in range(count):
            model.square(2.0)
            model.same(p)
            slope([1.0, 2.0])
            if i % 100 == 0:
                model.total(tree)
                model.scaled(2.0)(3.0)
                model.twice(lambda y: y, 1.0)
                try:
                    model.third([1.0])
                except evert.Error:
                    pass

    calls(2_000)
    gc.collect()
    before = resident()
    calls(30_000)
    gc.collect()
    assert resident() - before < 4 << 20


def test_many_programs_take_no_memory():
    def programs(count):
        for i in range(count):
            evert.text(f"fn f(x) = x + {i % 3}.0").f(1.0)
        gc.collect()

    programs(5)
    before = resident()
    programs(40)
    assert resident() - before < 16 << 20


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import evert

# Who was started in the background ignores the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
m = evert.text('''
fn forever(x) = while_loop(y => y < inf, y => y + 0.0 * x, x)
fn deep(n) = if n < 0 { 0.0 } else { deep(n + 1) }
fn dynamic(f, x) = forever(f(x))
fn product(a) = while_loop(b => true, b => (a @ b) / 1e9, a)
fn solved(a) = while_loop(b => true, b => solve(a, b), a)
fn spectrum(a) = while_loop(b => true, b => eigh(b + transpose(b)).1, a)
fn values(a) = while_loop(b => true, b => svd(b).0, a)
fn talks(x) = while_loop(y => y < inf, y => { print("a line"); y }, x)
fn square(x) = x * x
''')
out, silent = sys.stdout, open(os.devnull, "w")
def talks():
    sys.stdout = silent
    try:
        m.talks(1.0)
    finally:
        sys.stdout = out
a = np.ones((1500, 1500))
r = np.random.default_rng(0).normal(size=(700, 700))
calls = {
    "loop": lambda: m.forever(1.0),
    "recursion": lambda: m.deep(1),
    "evaluator": lambda: m.dynamic(lambda x: x, 1.0),
    "product": lambda: m.product(a),
    "gradient": lambda: evert.grad(m.forever)(1.0),
    "solve": lambda: m.solved(r),
    "eigh": lambda: m.spectrum(r),
    "svd": lambda: m.values(r),
    "prints": talks,
    "expression": lambda: m("forever(2.0)"),
}
for name, call in calls.items():
    sent = []
    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.5, send)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        print(name, "stopped", file=sys.stdout)
        print(f"{name}: {(time.perf_counter() - sent[0]) * 1e3:.1f} ms", file=sys.stderr)
    timer.join()
    assert m.square(3.0) == 9.0

# A handler that goes on: so does the program.
heard = []
signal.signal(signal.SIGINT, lambda *_: heard.append(1))
slow = evert.text("fn slow(n) = iterate(n, x => sin(x) + 1.0, 1.0)")
n = 10_000_000
found = slow.slow(n)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
while not heard:
    found = slow.slow(n)
assert heard == [1] and found == slow.slow(n)
print("all")
"""


def test_interrupts():
    names = ["loop", "recursion", "evaluator", "product", "gradient", "solve", "eigh", "svd", "prints", "expression"]
    assert run(INTERRUPTED).splitlines() == [f"{name} stopped" for name in names] + ["all"]


def test_interrupts_in_a_forked_process():
    script = """
    import os, signal, threading
    import evert
    signal.signal(signal.SIGINT, signal.default_int_handler)
    m = evert.text("fn forever(x) = while_loop(y => y < inf, y => y + 0.0 * x, x)\\nfn square(x) = x * x")
    assert m.square(2.0) == 4.0
    child = os.fork()
    if child == 0:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            m.forever(1.0)
        except KeyboardInterrupt:
            os._exit(7 if m.square(3.0) == 9.0 else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run(script) == "7\n"


def test_a_function_of_python_may_call_the_program_on_other_threads():
    """The program's session is busy with the call that waits for them."""
    script = """
    import concurrent.futures, faulthandler
    import evert
    faulthandler.dump_traceback_later(60, exit=True)
    m = evert.text("fn apply(f, x) = f(x)\\nfn square(x) = x * x\\nfn third(a) = a[3]")
    pool = concurrent.futures.ThreadPoolExecutor(2)
    assert m.apply(lambda x: pool.submit(m.square, x).result(), 2.0) == 4.0
    def failing(x):
        try:
            return pool.submit(m.third, [x]).result()
        except evert.Error as error:
            return error.code
    print(m.apply(failing, 2.0))
    """
    assert run(script) == "E0307\n"


def test_the_process_ends_while_threads_run_programs():
    script = """
    import os, sys, threading, time
    import evert
    m = evert.text("fn slow(n) = iterate(n, x => sin(x) + 1.0, 0.0)\\nfn calls(f, n) = iterate(n, x => f(x), 0.0)\\nfn talks(n) = iterate(n, x => { print(x); x + 1.0 }, 0.0)")
    def compiles():
        for k in range(10**6):
            evert.text(f"fn f(x) = x^2 + {k}.0").f(1.0)
    out, sys.stdout = sys.stdout, open(os.devnull, "w")
    for work in (lambda: m.slow(10**9), lambda: m.calls(lambda x: x + 1.0, 10**8), lambda: m.talks(10**9), compiles):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(0.2)
    out.write("fine")
    """
    for _ in range(3):
        done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.stderr, done.returncode) == ("fine", "", 0)

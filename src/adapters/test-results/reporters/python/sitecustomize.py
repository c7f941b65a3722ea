"""
Makes pytest and unittest tell each test's result, without a change in the repository: every Python process of a check loads this file
at its start (PYTHONPATH). Results go to files in the folder LOOPDASH_RESULTS, a name per process. What a runner starts in its turn
reports nothing: it is a part of a test. It runs in any Python 3.
"""

import os
import shlex
import sys


def _begin(folder):
    os.environ["PYTEST_ADDOPTS"] = _options(["--junitxml=" + _file(folder, "xml")])
    sys.meta_path.insert(0, _RunnerFinder(folder))


def _options(more):
    """The options of pytest that the environment has, without those of a process above this one."""
    words = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    own = [word for word in words if not (word.startswith("--junitxml=") and "/loopdash-python-" in word)]
    return " ".join(map(shlex.quote, own + more))


def _file(folder, ending):
    return os.path.join(folder, "loopdash-python-%d.%s" % (os.getpid(), ending))


class _RunnerFinder:
    """Waits for a runner: pytest has its options then, and that of unittest is watched."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        if name == "_pytest.config":
            os.environ.pop("LOOPDASH_RESULTS", None)
        if name != "unittest.runner":
            return None
        sys.meta_path.remove(self)
        import importlib.util

        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            _watch(module.TextTestRunner, self.folder)

        spec.loader.exec_module = exec_module
        return spec


def _watch(runner, folder):
    make = runner._makeResult
    run = runner.run
    results = []

    def make_result(self):
        result = make(self)
        outcomes = {
            "addSuccess": "passed",
            "addFailure": "failed",
            "addError": "failed",
            "addSkip": "skipped",
            "addExpectedFailure": "passed",
            "addUnexpectedSuccess": "failed",
        }
        for method, outcome in outcomes.items():
            setattr(result, method, _noting(getattr(result, method), outcome, results))
        result.addSubTest = _noting_subtest(result.addSubTest, results)
        return result

    def run_and_write(self, test):
        os.environ.pop("LOOPDASH_RESULTS", None)
        result = run(self, test)
        _write(folder, results)
        return result

    runner._makeResult = make_result
    runner.run = run_and_write


def _noting(method, outcome, results):
    def noted(test, *rest):
        results.append(_names(test) + (outcome,))
        return method(test, *rest)

    return noted


def _noting_subtest(method, results):
    """A test of which a subtest fails is in no other result."""

    def noted(test, subtest, error):
        failed = _names(test) + ("failed",)
        if error is not None and failed not in results[-1:]:
            results.append(failed)
        return method(test, subtest, error)

    return noted


def _names(test):
    """A test's class and its own name, as pytest tells them; what is no method of a class has one name."""
    whole = test.id()
    end = "." + getattr(test, "_testMethodName", "\0")
    return ([whole[: -len(end)]], end[1:]) if whole.endswith(end) else ([], whole)


def _write(folder, results):
    """In the form of jest's and vitest's JSON."""
    import json

    tests = [{"ancestorTitles": above, "title": name, "status": outcome} for above, name, outcome in results]
    failed = sum(1 for _, _, outcome in results if outcome == "failed")
    report = {
        "numTotalTests": len(tests),
        "numFailedTests": failed,
        "numFailedTestSuites": 1 if failed else 0,
        "success": failed == 0,
        "startTime": int(__import__("time").time() * 1000),
        "testResults": [{"name": "", "status": "failed" if failed else "passed", "assertionResults": tests}],
    }
    with open(_file(folder, "json"), "w") as file:
        json.dump(report, file)


def _load_other():
    """Loads the sitecustomize that this one hides, if the installation has one."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        file = os.path.join(folder or ".", "sitecustomize.py")
        if os.path.abspath(folder or ".") != here and os.path.isfile(file):
            import runpy

            runpy.run_path(file)
            return


if os.environ.get("LOOPDASH_RESULTS"):
    _begin(os.environ["LOOPDASH_RESULTS"])
elif "PYTEST_ADDOPTS" in os.environ:
    os.environ["PYTEST_ADDOPTS"] = _options([])
_load_other()

"""React Native's types, which tests of the generated module and of its page share."""

import pytest
from checkers import MODULES, missing

OF_REACT = {"react": [f"{MODULES}/@types/react"], "react/*": [f"{MODULES}/@types/react/*"]}
OF_APPS = {"module": "esnext", "moduleResolution": "bundler", "typeRoots": [], "noEmit": True, "declaration": False}


@pytest.fixture(scope="session")
def react_native(tsc):
    """Return a function that checks files with React Native's types, those of its strict interface as well."""
    if not (MODULES / "react-native" / "types").is_dir():
        missing("the types of React Native", "`make verify` installs them")

    def check(files):
        for types in ("types", "types_generated"):
            paths = OF_REACT | {"react-native": [f"{MODULES}/react-native/{types}/index.d.ts"], "*": [f"{MODULES}/*"]}
            options = {"jsx": "react-jsx", "skipLibCheck": True, "lib": ["es2023"], "paths": paths}
            tsc(files, **OF_APPS, **options)

    return check

"""The test of an endpoint where models run: this session's keys go there with it."""

from core.backends.openai_compatible.probe import EndpointTest, test_endpoint
from core.machine.endpoints import Endpoint
from core.machine.keys import use_session_keys


def probe(endpoint: Endpoint, model: str, keys: dict[str, str]) -> EndpointTest:
    """Ask the endpoint once for its models and for one short text; `keys` are the session's, by endpoint.

    For the model process: it loads the openai package. Raises nothing that a person can meet: what is wrong is the
    test's sentence, and no key is in it.
    """
    use_session_keys(keys)
    return test_endpoint(endpoint, model)

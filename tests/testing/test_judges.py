"""What the emulator has to do as a double for the tests of others, and which test judges it.

Judges are the programs that people use: clients, test runners, browsers, scanners. Most are outside programs, so

    make verify ARGS="-k 'clients or oauth or redirect or npm or double or testing_page'"

runs them, and ``make test-emulator`` the others. Weaker than asked for: no Docker engine runs here, so the image's
command runs as PID 1 of a namespace, as root, on one machine type; a machine with IPv6 alone is not simulated; a
refusal of the receiver names the address of its load balancer; figures in seconds are printed by ``make bench`` and
asserted only as ratios of one run.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

CLIENTS = "outside/test_clients.py"
BY_NAME = "outside/test_clients_by_name.py"
PRACTICE = "outside/test_double_in_practice.py"
PAGE = "outside/test_testing_page.py"
REDIRECT = "outside/test_node_redirect.py"
NPM = "outside/test_npm_emulator.py"
OAUTH = "outside/test_oauth_clients.py"
DOUBLE = "emulator/test_double.py"
SPACES = "emulator/test_spaces.py"
REACH = "emulator/test_reach.py"
KNOWN = "emulator/test_in_practice.py"
FIXTURE = "testing/test_fixture.py"
LISTENING = "commands/test_listening.py"

JUDGES = {
    "two hundred requests on one connection, by Node, curl and requests, from the first one on": {
        PRACTICE: ["test_no_request_on_a_kept_alive_connection_waits_for_an_acknowledgement"],
    },
    "silent clients and those that send byte by byte": {
        DOUBLE: ["test_clients_that_are_silent_or_send_byte_by_byte_keep_nobody_else_waiting"],
        "emulator/test_server.py": ["test_any_number_of_idle_connections_stays_open"],
        "system/serving/test_slow_clients.py": ["test_two_hundred_slow_clients_do_not_delay_another"],
    },
    "existing clients, unmodified, by each way to lead them here": {
        CLIENTS: [
            "test_its_importer_reads_published_variables_and_styles",
            "test_figma_api_reads_and_writes",
            "test_figma_js_and_figma_transformer_find_the_library_in_the_layers_and_its_pictures",
            "test_the_official_example_syncs_both_ways",
            "test_the_mcp_server_of_figma_console_reads_and_comments_with_both_kinds_of_token",
            "test_code_connect_publishes_and_deletes_at_the_address_that_it_is_given",
            "test_its_script_writes_css_of_the_variables",
            "test_its_script_creates_links_once_and_replaces_them_when_they_move",
        ],
        BY_NAME: [
            "test_curl_reads_by_a_resolved_name_and_by_a_proxy",
            "test_the_proxy_lets_curl_reach_no_other_host",
            "test_httpx_reads_by_the_proxy_of_its_environment_and_reaches_no_other_host",
            "test_figma_js_reads_from_a_host_that_it_is_given_over_https",
            "test_the_mcp_server_of_figma_context_reads_and_downloads_by_a_proxy",
        ],
        REACH: ["test_it_is_a_proxy_for_the_names_of_its_certificate_alone"],
    },
    "Node is led to the emulator or stopped, and looks up no name of Figma's": {
        REDIRECT: ["test_a_request_is_led_to_the_emulator", "test_what_is_not_led_throws"],
        PAGE: ["test_vitest_in_threads_is_redirected"],
    },
    "pages of another origin and of none read and write, and control nothing": {
        PRACTICE: ["test_a_page_reads_and_writes_as_at_figma_and_controls_nothing"],
        SPACES: ["test_a_page_in_a_browser_controls_nothing"],
    },
    "two hundred tests in several processes and random order, late threads included": {
        FIXTURE: ["test_two_hundred_tests_of_several_processes_share_nothing"],
    },
    "resets, large snapshots, and equal runs": {
        SPACES: ["test_a_reset_goes_back_to_the_start_and_keeps_the_token"],
        DOUBLE: [
            "test_a_snapshot_of_ten_thousand_variables_is_restored",
            "test_two_equal_runs_have_equal_journals_and_answers_to_the_byte",
        ],
    },
    "the image without arguments, on a read-only file system, until SIGTERM": {
        PAGE: [
            "test_the_container_answers_the_lines_of_the_page_and_ends_by_sigterm",
            "test_the_container_needs_no_file_that_it_can_write",
            "test_sigterm_ends_the_container_however_early_it_comes",
        ],
        SPACES: ["test_addresses_in_answers_lead_back_to_their_space", "test_health_is_asked_of_an_emulator_alone"],
        REACH: ["test_an_allowed_name_is_answered_without_tls_and_no_other_one"],
    },
    "a service of a workflow with environment variables alone": {
        PAGE: ["test_the_workflow_with_a_service_is_right"],
        REACH: ["test_every_option_is_an_environment_variable"],
    },
    "it ends with its parent, and by signals at any time": {
        NPM: ["test_it_ends_with_node_however_that_ends"],
        REACH: ["test_it_ends_with_the_program_that_started_it", "test_a_signal_ends_it_however_early_it_comes"],
        DOUBLE: ["test_a_second_interruption_is_harmless"],
    },
    "a dead proxy in the environment": {
        PRACTICE: ["test_a_dead_proxy_of_the_environment_is_passed_by"],
        NPM: ["test_its_environment_leads_a_child_process_past_a_proxy"],
    },
    "unknown paths, parameters and members are listed, or refused where a test wants that": {
        SPACES: [
            "test_an_unknown_path_names_the_nearest_endpoint",
            "test_the_journal_is_waited_for_and_lists_what_is_not_known",
            "test_what_is_not_known_is_an_error_where_a_test_wants_that",
        ],
        KNOWN: ["test_a_newer_member_of_a_change_is_accepted_and_listed"],
    },
    "tokens that no scanner takes for secrets, and that are of one space": {
        PRACTICE: ["test_no_token_of_the_emulator_is_a_secret_to_a_scanner"],
        SPACES: ["test_a_dropped_space_is_gone_and_its_token_is_refused"],
    },
    "webhooks: receivers of every kind, retries by the clock, and who may create one": {
        DOUBLE: ["test_an_event_is_sent_again_as_its_receiver_answers"],
        "emulator/test_delivery.py": [
            "test_a_slow_endpoint_is_an_error",
            "test_an_endpoint_that_answers_byte_by_byte_is_too_slow",
        ],
        SPACES: ["test_a_clock_that_settles_has_sent_every_retry"],
        KNOWN: [
            "test_after_a_400_an_event_is_not_sent_again",
            "test_a_passcode_is_not_empty",
            "test_team_id_alone_is_refused_with_the_name_of_what_replaces_it",
        ],
        "emulator/test_events.py": ["test_each_kind_of_asset_is_an_event_of_its_own"],
        "emulator/test_contract.py": ["test_a_request_gets_the_status_body_and_message_of_its_row"],
        LISTENING: [
            "test_the_same_event_twice_runs_once",
            "test_any_other_passcode_is_refused_and_not_printed",
            "test_a_burst_of_publications_is_one_run_after_a_quiet_second",
        ],
    },
    "a receiver behind a load balancer": {
        LISTENING: ["test_a_load_balancer_finds_the_health_path_that_was_set_and_no_other"],
        "system/serving/test_framing.py": ["test_valid_requests_are_answered_one_after_the_other"],
    },
    "OAuth by libraries, with PKCE, both refreshes, refused scopes and retired addresses": {
        OAUTH: [
            "test_a_library_logs_in_with_pkce_and_refreshes_both_ways",
            "test_figma_api_logs_in_with_its_parameters_in_the_query",
        ],
        KNOWN: ["test_refused_scopes_are_json", "test_a_retired_address_names_the_one_of_today"],
        "emulator/test_oauth.py": ["test_it_lives_for_30_seconds", "test_it_keeps_the_scopes_and_starts_90_days_anew"],
        DOUBLE: ["test_logins_that_are_refreshed_at_once_leave_one_valid_token"],
    },
    "each fault of a token has its own message, and a login tells them apart": {
        KNOWN: ["test_each_fault_of_a_token_has_its_own_message"],
        "cli/test_auth.py": [
            "test_a_token_without_the_identity_scope_is_stored",
            "test_a_token_that_the_platform_refuses_is_not_stored",
            "test_an_expired_token_is_named_so_and_one_of_another_kind_is_stored",
        ],
    },
    "addresses of pictures refuse tokens, and expire": {
        KNOWN: [
            "test_a_request_with_a_token_is_400_since_the_address_is_signed",
            "test_it_expires_after_30_days_by_the_clock",
        ],
    },
    "pytest: nested folders, typos in the marker, failed tests, switched off, not installed": {
        FIXTURE: [
            "test_a_users_own_tests_pass_with_it",
            "test_a_wrong_marker_stops_the_run_and_names_the_right_form",
            "test_a_failed_test_shows_the_requests_that_it_sent",
            "test_a_failed_test_shows_its_own_requests_to_a_platform_of_its_session_or_module",
            "test_the_plugin_can_be_switched_off",
            "test_a_platform_runs_where_pytest_is_not_installed",
            "test_the_plugin_imports_nothing_of_tokensync_until_a_test_uses_it",
        ],
    },
    "one port for every name of this machine, IPv6 included": {
        DOUBLE: ["test_every_loopback_name_is_one_server"],
        REACH: ["test_localhost_is_reached_by_ipv6_too"],
    },
}
"""The tests that judge each case, by their file."""


@cache
def names_in(path):
    """The names of the tests of a file, in classes, too."""
    nodes = ast.walk(ast.parse((TESTS / path).read_text("utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("case", JUDGES)
def test_the_judges_of_a_case_exist(case):
    named = {f"{path}::{test}" for path, tests in JUDGES[case].items() for test in tests}
    assert named - {f"{path}::{test}" for path in JUDGES[case] for test in names_in(path)} == set()


def test_every_case_has_a_judge():
    assert len(JUDGES) == 20
    assert all(tests for judges in JUDGES.values() for tests in judges.values())

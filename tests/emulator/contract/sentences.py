"""What sections 2 to 9 of the specification promise, in words of our own, one sentence a line with its section.

Rows cite these lines letter by letter; test_contract.py holds that each is cited, or stands in uncited.py with the
reason why no request can show it.
"""

from __future__ import annotations

from typing import Final

SENTENCES: Final = tuple(
    line.strip()
    for line in """
2 timestamps are ISO 8601
2.1 most answers stand in an envelope of status, error and meta
2.1 folders, dev resources, webhooks and analytics answer without the envelope
2.1 an error body has a message
2.2 a published component has these fields
2.3 a published style has a style type and a sort position, and no frame
2.4 a local variable has these fields
2.4 a name is unique in its collection and has no dot or brace
2.4 a remote variable is named by its subscribed id
2.4 scopes limit pickers, not bindings
2.4 code syntax is of WEB, ANDROID and iOS
2.4 an alias and a composed colour have their shapes
2.5 a local collection has these fields
2.5 an extended collection names its parent, its root and its overrides
2.5 variableIds is the order of the collection
2.5 deletedButReferenced tells of what is deleted and still referenced
2.6 a published variable and collection have these fields and no modes
2.6 id and key stay for a lifetime, and subscribed_id changes with each publish of a change
2.6 updatedAt of a collection changes with any of its variables
2.7 folder metadata has these fields, and a thumbnail may be null
2.7 a top-level folder has a null parent
2.8 analytics answer cursor, next_page and rows
2.8 rows of component actions by component have these fields
2.8 rows of style actions by style have these fields
2.8 rows of variable actions by variable have these fields
2.8 rows of actions by team have these fields
2.8 rows of component usages by component have these fields
2.8 rows of style usages by style have these fields
2.8 rows of variable usages by variable have these fields
2.8 rows of usages by file have these fields
2.8 files that the caller may not see are told together as not visible
2.9 a developer log item has these fields
2.9 enumerated values may be in lower case
2.10 urls map an hour to download links
2.10 text events are texts, chats, comments, documentation, annotations and links
2.11 an answer to a code names the user and brings a refresh token
2.11 a token answer has a bearer token and the seconds it lives
2.11 user_id_string is safe where the number is not
2.12 an app has a name, a place, addresses, scopes and a visibility that starts private
2.12 a client secret is shown once
3.1 a new app is a draft
3.1 a private app is published without review, for its own team or organization
3.1 a public app is submitted for review, with instructions and review pages
3.1 an approved app is for any user
3.1 a change of a published public app's configuration means another review
3.1 a draft works for its creator and plan admins alone
3.1 unfinished configuration is saved, and scopes come before use
3.2 allowing calls back with code and state
3.2 a code is exchanged within 30 seconds for an access and a refresh token
3.2 an old code fails even if it looks valid
3.2 a refresh stops the previous access token
3.2 an access token expires after 90 days
3.2 a rejection calls nobody back
3.3 PAUSED is set at creation or later, and an update reactivates
3.3 an error state cannot be set
3.4 an action is CREATE, UPDATE or DELETE
3.4 type and collection of a variable cannot change
3.4 remote variables and collections cannot be updated
4.1 an authorization needs client, redirect address, scope, state and response type
4.1 the only response type is code
4.1 the scope is a subset of the app's, with spaces or commas
4.1 the state comes back unchanged
4.1 PKCE is S256 alone
4.1 clients authenticate by Basic
4.1 a body is a URL-encoded form
4.1 redirect_uri equals the one of the authorization
4.1 a code_verifier is required when PKCE was used
4.1 the token endpoint refreshes too
4.1 the refresh endpoint needs a refresh token and answers without a new one
4.1 a refresh token may be used any number of times
4.1 one access token an app and user is valid at a time
4.1 the government's host has the same paths
4.1 the page is opened in a browser, and not in an embedded view
4.2 published items come in the envelope
4.2 teams list components, component sets and styles with a cursor
4.2 files list components, component sets and styles whole
4.2 files are named by the key of a main file
4.2 one item is read by its key
4.2 page_size is 30 unless given
4.2 after and before exclude each other
4.2 pages of components end at 1000
4.2 errors are 400, 403 and 404
4.2 file listings need library_content:read
4.2 items by key need library_assets:read
4.3 variables are for full members of an Enterprise plan
4.3 local variables of a file or a branch, with the remote ones it uses
4.3 reading needs file_variables:read
4.3 published variables are of a main file
4.3 reading errors are 400, 401 and 403
4.3 writing needs file_variables:write and edit access
4.3 only design files are written
4.3 a branch is written too
4.3 all four arrays are optional
4.3 UPDATE and DELETE need an id
4.3 a new collection needs a name
4.3 a parent is local, given at CREATE, and not with a first mode
4.3 a mapping of first modes may be sparse and needs a parent
4.3 a mode change needs its collection
4.3 a new variable needs name, collection and type
4.3 a type on UPDATE is ignored with 200
4.3 a value matches its type, and an alias resolves to it
4.3 1 arrays are applied in their order, and changes in theirs
4.3 2 a request is kept whole or not at all
4.3 3 a body is 4 MB at most
4.3 4 temporary ids are unique in a request and mapped to real ones
4.3 5 a new collection has one mode
4.3 6 40 modes a collection, 40 characters a mode, 5000 variables a collection
4.3 6 names are unique in a collection
4.3 7 extended collections make no modes and no variables, and inherit all
4.3 7 modes of an extended collection go with the parent's
4.3 8 an alias makes no cycle
4.3 8 a composed colour has an alias
4.3 9 a mode id of the root sets the root's value
4.3 9 an extended mode id sets an override, and null removes it
4.3 9 null with an original mode id is an error
4.3 10 new modes and variables have values
4.3 11 remote things are updated in their own file alone
4.3 12 a string bound to text in a shared font cannot be updated
4.3 the answer maps temporary ids
4.3 a file that is not there is 404
4.4 analytics are for the Enterprise plan
4.4 analytics need library_analytics:read
4.4 errors are 400, 401 and 403
4.4 group_by is required, and one of two
4.4 actions come with the most recent week first
4.4 only what has data is returned
4.4 data goes back a year
4.4 data is refreshed daily
4.4 dates are inclusive days
4.4 a start date goes back to its Sunday and is a year ago by default
4.4 an end date goes forward to its week's end and is the last full week by default
4.4 a cursor leads to the next page, and next_page says whether there is one
4.4 actions are insertions and detachments
4.4 usages leave out what is unused
4.5 projects are not for public OAuth apps
4.5 projects need projects:read
4.5 a team's projects are those that the caller sees
4.5 nested folders show only top-level projects
4.5 branch_data tells of branches, and not by default
4.5 project metadata needs project_metadata:read
4.5 project metadata stands at top level
4.5 errors of listings are 400 and 403
4.5 errors of metadata are 403, 404 and 429
4.5 team ids cannot be obtained
4.6 folders need folders:read and are not for public OAuth apps
4.6 folder metadata is for all OAuth apps, with folder_metadata:read
4.6 a team's folders are the top-level ones that the caller sees
4.6 access counts roles, inheritance and audience
4.6 subfolders are direct ones
4.6 files are those directly in the folder that the caller sees
4.6 branch_data tells of branches
4.6 errors of listings are 400, 403 and 404
4.6 errors of metadata are 403, 404 and 429
4.7 dev resources are of a main file
4.7 node_ids choose nodes
4.7 many are created over several files
4.7 an update answers what was updated, and what failed
4.7 a deletion answers no body
4.7 a success may list failed items
4.7 an item fails without its file
4.7 an item fails past 10 a node
4.7 an item fails with a url that the node has
4.7 errors of GET, POST and PUT are 400 and 401
4.7 errors of DELETE are 401 and 404
4.8 developer logs need org:developer_log_read in a plan access token
4.8 developer logs are for admins on Enterprise with Governance+
4.8 a token's secret finds its records
4.8 names, addresses and mails match by prefix, in comma lists
4.8 a mail never matches plan access tokens
4.8 token_type, event_source and date_range are enumerated
4.8 limit is 25 and 100 at most
4.8 a cursor leads on while has_more
4.8 errors are 400, 401 and 403
4.7b activity logs need org:activity_log_read
4.7b activity logs are for admins of Enterprise organizations
4.7b a limit cuts the activity log
4.9 discovery needs org:discovery_read on Enterprise with Governance+
4.9 start_date is required, an hour, at least one hour ago and before the end
4.9 end_date is at most 24 hours later, and one hour without
4.9 links live for 60 to 86400 seconds, a day by default
4.9 the answer has urls an hour, i18n and message
4.9 errors are 400, 401 and 403
4.9 more than 20 requests a second are 429
4.9 a fault of the service is 500
4.10 a webhook is created, and answered
4.10 a webhook is read by its id
4.10 webhooks are listed by context
4.10 webhooks are listed by plan in pages
4.10 context and plan_api_id exclude each other
4.10 a cursor counts with plan_api_id alone
4.10 a plan is named by team or organization
4.10 an update answers the webhook
4.10 a deletion answers the webhook and is final
4.10 a team's webhooks have a deprecated list
4.10 requests of the last week are listed
4.10 event_type, context, context_id, endpoint and passcode are required
4.10 endpoint, passcode and description have lengths
4.10 an empty description deletes it
4.10 creation sends PING unless PAUSED
4.10 webhooks need webhooks:read and webhooks:write
4.10 errors of POST are 400 and 403
4.10 errors of GET by id are 403 and 404
4.10 errors of the list are 403 and 404
4.10 errors of PUT and DELETE are 400, 403 and 404
4.10 team webhooks are created by team admins
4.10 folder webhooks need edit access to the folder
4.10 file webhooks need edit access to the file
4.11 file metadata comes without content, with file_metadata:read
4.11 oEmbed 1.0 tells of files and published Make projects
4.11 there are endpoints for content, nodes, images, comments and versions
4.11 users can be asked who they are
5 there are OAuth, personal and plan access tokens
5 a personal access token expires within 90 days
5 legacy tokens work
5 an OAuth token is sent as Bearer
5 redirect addresses are registered
5 the state is random, kept, and compared by the caller
5 one access token an app and user, 90 days
5 a scope limits which endpoints a token can call
5 current_user:read identifies the user
5 files:read is broad
5 file_comments:read and file_comments:write are for comments
5 file_content:read is for layers and content
5 file_dev_resources:read and :write are for dev resources
5 org-level scopes are given by admins of Enterprise organizations
6 events are sent by POST with JSON
6 team webhooks are silent about invite-only folders
6 PING tells that a webhook works
6 DEV_MODE_STATUS_UPDATE tells of a layer's status
6 a change message comes along when one was given
6 LIBRARY_PUBLISH tells of a published library, with variables
6 payloads name the file and its key, but PING
6 the passcode comes along
6 anything but 200 is an error
6 a slow answer is an error
6 a failure is retried after 5 minutes, 30 minutes and 3 hours
6 failing endpoints stay active
6 requests and answers of 7 days are listed
6 other endpoints emit no events
7 400 is a bad parameter or a failed validation, and the message describes it
7 401 is an authentication problem, and the message describes it
7 403 is an invalid or expired token
7 403 is insufficient permission
7 403 tells of plan, account type, scope, file permissions and design files
7 403 is plain HTTP
7 404 is a thing that is not there
7 404 is a webhook without permission
7 413 is a body of variables over 4 MB
7 429 is a rate limit
7 500 is a fault of the service
7 dev resources fail one by one
7 a file that is too large asks for parameters, and ids and depth help
7 codes that are old or used fail
8 an authorization code lives 30 seconds
8 an access token lives 90 days
8 a personal access token lives 90 days at most
8 listings have 30 items a page, components 1000 at most
8 40 modes, 40 characters, 5000 variables, 4 MB
8 10 dev resources a node
8 20 webhooks a team, 5 a folder, 3 a file
8 150, 300 and 600 webhooks of files a plan
8 2048, 100, 150 and 140 characters of a webhook
8 developer logs have 25 items, 100 at most, in three ranges
8 discovery has 24 hours, a file an hour
8 discovery links live 60 to 86400 seconds
8 discovery answers 20 requests a second
8 webhook requests are kept 7 days
8 analytics go back a year
8 webhooks are retried 3 times
9 the version is part of the path
9 deprecated endpoints answer and name what replaces them
9 files:read is deprecated and works
9 usages, teams_using and files_using are the names of today
9 the order parameter of analytics is gone
9 containingComponentSet is the name of today
9 maskType and targetAspectRatio are the names of today
9 older addresses of version pages stopped working
9 only HTTPS works
9 versions are listed by their time of creation
""".strip().splitlines()
)

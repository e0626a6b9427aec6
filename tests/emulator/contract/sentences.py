"""What the documentation of the platform promises, in words of our own, one sentence a line with its subject.

Rows cite these lines letter by letter; test_contract.py holds that each is cited, or stands in uncited.py with the
reason why no request can show it.
"""

from typing import Final

SENTENCES: Final = tuple(
    line.strip()
    for line in """
times: timestamps are ISO 8601
envelope: most answers stand in an envelope of status, error and meta
envelope: folders, dev resources, webhooks and analytics answer without the envelope
envelope: an error body has a message
published components: a published component has these fields
published styles: a published style has a style type and a sort position, and no frame
local variables: a local variable has these fields
local variables: a name is unique in its collection and has no dot or brace
local variables: a remote variable is named by its subscribed id
local variables: scopes limit pickers, not bindings
local variables: code syntax is of WEB, ANDROID and iOS
local variables: an alias and a composed colour have their shapes
local collections: a local collection has these fields
local collections: an extended collection names its parent, its root and its overrides
local collections: variableIds is the order of the collection
local collections: deletedButReferenced reports what is deleted and still referenced
published variables: a published variable and collection have these fields and no modes
published variables: id and key stay for a lifetime; publishing a change changes subscribed_id
published variables: updatedAt of a collection changes with any of its variables
folder metadata: folder metadata has these fields, and a thumbnail may be null
folder metadata: a top-level folder has a null parent
analytics rows: analytics answer cursor, next_page and rows
analytics rows: rows of component actions by component have these fields
analytics rows: rows of style actions by style have these fields
analytics rows: rows of variable actions by variable have these fields
analytics rows: rows of actions by team have these fields
analytics rows: rows of component usages by component have these fields
analytics rows: rows of style usages by style have these fields
analytics rows: rows of variable usages by variable have these fields
analytics rows: rows of usages by file have these fields
analytics rows: files that the caller may not see are reported together as not visible
developer log items: a developer log item has these fields
developer log items: enumerated values may be in lower case
discovery results: urls map an hour to download links
discovery results: text events are texts, chats, comments, documentation, annotations and links
token responses: an answer to a code names the user and brings a refresh token
token responses: a token answer has a bearer token and the seconds it lives
token responses: user_id_string is safe where the number is not
OAuth apps: an app has a name, a place, addresses, scopes and a visibility that starts private
OAuth apps: a client secret is shown once
app review: a new app is a draft
app review: a private app is published without review, for its own team or organization
app review: a public app is submitted for review, with instructions and review pages
app review: an approved app is for any user
app review: a change of a published public app's configuration means another review
app review: a draft works for its creator and plan admins alone
app review: unfinished configuration is saved, and scopes come before use
codes and tokens: allowing calls back with code and state
codes and tokens: a code is exchanged within 30 seconds for an access and a refresh token
codes and tokens: an old code fails even if it looks valid
codes and tokens: a refresh stops the previous access token
codes and tokens: an access token expires after 90 days
codes and tokens: a rejection calls nobody back
webhook status: PAUSED is set at creation or later, and an update reactivates
webhook status: an error state cannot be set
variable objects: an action is CREATE, UPDATE or DELETE
variable objects: type and collection of a variable cannot change
variable objects: remote variables and collections cannot be updated
OAuth: an authorization needs client, redirect address, scope, state and response type
OAuth: the only response type is code
OAuth: the scope is a subset of the app's, with spaces or commas
OAuth: the state comes back unchanged
OAuth: PKCE is S256 alone
OAuth: clients authenticate by Basic
OAuth: a body is a URL-encoded form
OAuth: redirect_uri equals the one of the authorization
OAuth: a code_verifier is required when PKCE was used
OAuth: the token endpoint refreshes too
OAuth: the refresh endpoint needs a refresh token and answers without a new one
OAuth: a refresh token may be used any number of times
OAuth: one access token an app and user is valid at a time
OAuth: the government's host has the same paths
OAuth: the page is opened in a browser, and not in an embedded view
libraries: published items come in the envelope
libraries: teams list components, component sets and styles with a cursor
libraries: files list components, component sets and styles whole
libraries: files are named by the key of a main file
libraries: one item is read by its key
libraries: page_size is 30 unless given
libraries: after and before exclude each other
libraries: pages of components end at 1000
libraries: errors are 400, 403 and 404
libraries: file listings need library_content:read
libraries: items by key need library_assets:read
variables: variables are for full members of an Enterprise plan
variables: local variables of a file or a branch, with the remote ones it uses
variables: reading needs file_variables:read
variables: published variables are of a main file
variables: reading errors are 400, 401 and 403
variables: writing needs file_variables:write and edit access
variables: only design files are written
variables: a branch is written too
variables: all four arrays are optional
variables: UPDATE and DELETE need an id
variables: a new collection needs a name
variables: a parent is local, given at CREATE, and not with a first mode
variables: a mapping of first modes may be sparse and needs a parent
variables: a mode change needs its collection
variables: a new variable needs name, collection and type
variables: a type on UPDATE is ignored with 200
variables: a value matches its type, and an alias resolves to it
variables: 1 arrays are applied in their order, and changes in theirs
variables: 2 a request is kept whole or not at all
variables: 3 a body is 4 MB at most
variables: 4 temporary ids are unique in a request and mapped to real ones
variables: 5 a new collection has one mode
variables: 6 40 modes a collection, 40 characters a mode, 5000 variables a collection
variables: 6 names are unique in a collection
variables: 7 extended collections make no modes and no variables, and inherit all
variables: 7 modes of an extended collection go with the parent's
variables: 8 an alias makes no cycle
variables: 8 a composed colour has an alias
variables: 9 a mode id of the root sets the root's value
variables: 9 an extended mode id sets an override, and null removes it
variables: 9 null with an original mode id is an error
variables: 10 new modes and variables have values
variables: 11 remote things are updated in their own file alone
variables: 12 a string bound to text in a shared font cannot be updated
variables: the answer maps temporary ids
variables: a file that is not there is 404
analytics: analytics are for the Enterprise plan
analytics: analytics need library_analytics:read
analytics: errors are 400, 401 and 403
analytics: group_by is required, and one of two
analytics: actions come with the most recent week first
analytics: only what has data is returned
analytics: data goes back a year
analytics: data is refreshed daily
analytics: dates are inclusive days
analytics: a start date goes back to its Sunday and is a year ago by default
analytics: an end date goes forward to its week's end and is the last full week by default
analytics: a cursor leads to the next page, and next_page says whether there is one
analytics: actions are insertions and detachments
analytics: usages leave out what is unused
projects: projects are not for public OAuth apps
projects: projects need projects:read
projects: a team's projects are those that the caller sees
projects: nested folders show only top-level projects
projects: branch_data reports branches, and not by default
projects: project metadata needs project_metadata:read
projects: project metadata stands at top level
projects: errors of listings are 400 and 403
projects: errors of metadata are 403, 404 and 429
projects: team ids cannot be obtained
folders: folders need folders:read and are not for public OAuth apps
folders: folder metadata is for all OAuth apps, with folder_metadata:read
folders: a team's folders are the top-level ones that the caller sees
folders: access counts roles, inheritance and audience
folders: subfolders are direct ones
folders: files are those directly in the folder that the caller sees
folders: branch_data reports branches
folders: errors of listings are 400, 403 and 404
folders: errors of metadata are 403, 404 and 429
dev resources: dev resources are of a main file
dev resources: node_ids choose nodes
dev resources: many are created over several files
dev resources: an update answers what was updated, and what failed
dev resources: a deletion answers 200
dev resources: a success may list failed items
dev resources: an item fails without its file
dev resources: an item fails past 10 a node
dev resources: an item fails with a url that the node has
dev resources: errors of GET, POST and PUT are 400 and 401
dev resources: errors of DELETE are 401 and 404
developer logs: developer logs need org:developer_log_read in a plan access token
developer logs: developer logs are for admins on Enterprise with Governance+
developer logs: a token's secret finds its records
developer logs: names, addresses and mails match by prefix, in comma lists
developer logs: a mail never matches plan access tokens
developer logs: token_type, event_source and date_range are enumerated
developer logs: limit is 25 and 100 at most
developer logs: a cursor leads on while has_more
developer logs: errors are 400, 401 and 403
activity logs: activity logs need org:activity_log_read
activity logs: activity logs are for admins of Enterprise organizations
activity logs: a limit cuts the activity log
discovery: discovery needs org:discovery_read on Enterprise with Governance+
discovery: start_date is required, an hour, at least one hour ago and before the end
discovery: end_date is at most 24 hours later, and one hour without
discovery: links live for 60 to 86400 seconds, a day by default
discovery: the answer has urls an hour, i18n and message
discovery: errors are 400, 401 and 403
discovery: more than 20 requests a second are 429
discovery: a fault of the service is 500
webhooks: a webhook is created, and answered
webhooks: a webhook is read by its id
webhooks: webhooks are listed by context
webhooks: webhooks are listed by plan in pages
webhooks: context and plan_api_id exclude each other
webhooks: a cursor counts with plan_api_id alone
webhooks: a plan is named by team or organization
webhooks: an update answers the webhook
webhooks: a deletion answers the webhook and is final
webhooks: a team's webhooks have a deprecated list
webhooks: requests of the last week are listed
webhooks: event_type, context, context_id, endpoint and passcode are required
webhooks: endpoint, passcode and description have lengths
webhooks: an empty description deletes it
webhooks: creation sends PING unless PAUSED
webhooks: webhooks need webhooks:read and webhooks:write
webhooks: errors of POST are 400 and 403
webhooks: errors of GET by id are 403 and 404
webhooks: errors of the list are 403 and 404
webhooks: errors of PUT and DELETE are 400, 403 and 404
webhooks: team webhooks are created by team admins
webhooks: folder webhooks need edit access to the folder
webhooks: file webhooks need edit access to the file
other endpoints: file metadata comes without content, with file_metadata:read
other endpoints: oEmbed 1.0 reports files and published Make projects
other endpoints: there are endpoints for content, nodes, images, comments and versions
other endpoints: users can be asked who they are
other endpoints: payments and AI usage can be asked for
authentication: there are OAuth, personal and plan access tokens
authentication: a personal access token expires within 90 days
authentication: legacy tokens work
authentication: an OAuth token is sent as Bearer
authentication: redirect addresses are registered
authentication: the state is random, kept, and compared by the caller
authentication: one access token an app and user, 90 days
authentication: a scope limits which endpoints a token can call
authentication: current_user:read identifies the user
authentication: files:read is broad
authentication: file_comments:read and file_comments:write are for comments
authentication: file_content:read is for layers and content
authentication: file_dev_resources:read and :write are for dev resources
authentication: org-level scopes are given by admins of Enterprise organizations
events: events are sent by POST with JSON
events: team webhooks are silent about invite-only folders
events: PING shows that a webhook works
events: DEV_MODE_STATUS_UPDATE reports a layer's status
events: a change message comes along when one was given
events: LIBRARY_PUBLISH reports a published library, with variables
events: payloads name the file and its key, but PING
events: the passcode comes along
events: anything but 200 is an error
events: a slow answer is an error
events: a failure is retried after 5 minutes, 30 minutes and 3 hours
events: failing endpoints stay active
events: requests and answers of 7 days are listed
events: other endpoints emit no events
errors: 400 is a bad parameter or a failed validation, and the message describes it
errors: 401 is an authentication problem, and the message describes it
errors: 403 is an invalid or expired token
errors: 403 is insufficient permission
errors: 403 covers plan, account type, scope, file permissions and design files
errors: 403 is plain HTTP
errors: 404 is a thing that is not there
errors: 404 is a webhook without permission
errors: 413 is a body of variables over 4 MB
errors: 429 is a rate limit
errors: 500 is a fault of the service
errors: dev resources fail one by one
errors: a file that is too large asks for parameters, and ids and depth help
errors: codes that are old or used fail
limits: an authorization code lives 30 seconds
limits: an access token lives 90 days
limits: a personal access token lives 90 days at most
limits: listings have 30 items a page, components 1000 at most
limits: 40 modes, 40 characters, 5000 variables, 4 MB
limits: 10 dev resources a node
limits: 20 webhooks a team, 5 a folder, 3 a file
limits: 150, 300 and 600 webhooks of files a plan
limits: 2048, 100, 150 and 140 characters of a webhook
limits: developer logs have 25 items, 100 at most, in three ranges
limits: discovery has 24 hours, a file an hour
limits: discovery links live 60 to 86400 seconds
limits: discovery answers 20 requests a second
limits: webhook requests are kept 7 days
limits: analytics go back a year
limits: webhooks are retried 3 times
versions: the version is part of the path
versions: deprecated endpoints answer and name what replaces them
versions: files:read is deprecated and works
versions: usages, teams_using and files_using are the names of today
versions: the order parameter of analytics is gone
versions: containingComponentSet is the name of today
versions: maskType and targetAspectRatio are the names of today
versions: older addresses of version pages stopped working
versions: only HTTPS works
versions: versions are listed by their time of creation
""".strip().splitlines()
)

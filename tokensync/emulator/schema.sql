-- The schema of the emulator's state. Comments do not affect its version.

-- People, their access tokens, and what they may do with single files.
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE users (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, handle TEXT NOT NULL, email TEXT NOT NULL,
    account TEXT NOT NULL, admin INTEGER NOT NULL, permission TEXT
);
CREATE TABLE tokens (
    secret TEXT PRIMARY KEY, kind TEXT NOT NULL, scopes TEXT, expires REAL NOT NULL, user TEXT NOT NULL,
    name TEXT NOT NULL, app TEXT
) WITHOUT ROWID;
CREATE TABLE permissions (
    user TEXT NOT NULL, file_key TEXT NOT NULL, permission TEXT, PRIMARY KEY (user, file_key)
) WITHOUT ROWID;

-- How often the contents of a library are used, and when they were inserted and detached.
CREATE TABLE analytics_usages (
    library INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, file INTEGER NOT NULL, usages INTEGER NOT NULL,
    PRIMARY KEY (library, kind, key, file)
) WITHOUT ROWID;
CREATE TABLE analytics_actions (
    library INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, day INTEGER NOT NULL, team TEXT NOT NULL,
    insertions INTEGER NOT NULL, detachments INTEGER NOT NULL, PRIMARY KEY (library, kind, key, day, team)
) WITHOUT ROWID;

-- The links that are attached to nodes of files.
CREATE TABLE dev_resources (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, file INTEGER NOT NULL, node TEXT NOT NULL,
    name TEXT NOT NULL, url TEXT NOT NULL, UNIQUE (file, node, url)
);

-- The documents of files, their versions, and their comments. The id of a deleted comment is not used again.
CREATE TABLE documents (file INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, created REAL NOT NULL, label TEXT,
    description TEXT, user TEXT NOT NULL, content BLOB NOT NULL, UNIQUE (file, id)
);
CREATE TABLE comments (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, id TEXT UNIQUE NOT NULL, parent TEXT,
    user TEXT NOT NULL, created REAL NOT NULL, resolved REAL, message TEXT NOT NULL, position BLOB NOT NULL
);
CREATE INDEX comments_of_file ON comments (file);
CREATE TABLE reactions (
    number INTEGER PRIMARY KEY, comment TEXT NOT NULL, user TEXT NOT NULL, emoji TEXT NOT NULL, created REAL NOT NULL,
    UNIQUE (comment, user, emoji)
);

-- Teams, their folders, and the files in them.
CREATE TABLE teams (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, name TEXT NOT NULL, plan TEXT NOT NULL);
CREATE TABLE folders (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, team TEXT NOT NULL, parent TEXT, name TEXT NOT NULL,
    access TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL
);
CREATE TABLE files (
    number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, name TEXT NOT NULL, editor TEXT NOT NULL, plan TEXT NOT NULL,
    main INTEGER REFERENCES files, folder TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,
    created REAL NOT NULL, modified REAL NOT NULL,
    session INTEGER NOT NULL DEFAULT 1, made INTEGER NOT NULL DEFAULT 0,
    envelope BLOB NOT NULL, extras BLOB NOT NULL, published_envelope BLOB NOT NULL, published_extras BLOB NOT NULL
);
CREATE INDEX files_of_folder ON files (folder);

-- Components, component sets and styles, as drafted and as published.
CREATE TABLE library_items (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT UNIQUE NOT NULL, node TEXT NOT NULL,
    draft BLOB, published BLOB
);
CREATE INDEX library_items_of_file ON library_items (file, kind);

-- OAuth apps, the codes that users gave them, and their refresh tokens.
CREATE TABLE oauth_apps (
    number INTEGER PRIMARY KEY, client_id TEXT UNIQUE NOT NULL, secret_digest TEXT NOT NULL, name TEXT NOT NULL,
    team TEXT, creator TEXT NOT NULL, description TEXT NOT NULL, logo TEXT NOT NULL, redirect_urls TEXT NOT NULL,
    scopes TEXT NOT NULL, visibility TEXT NOT NULL, review_pages INTEGER NOT NULL, state TEXT NOT NULL
);
CREATE TABLE oauth_codes (
    number INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL, app TEXT NOT NULL, user TEXT NOT NULL,
    redirect_url TEXT NOT NULL, scopes TEXT, challenge TEXT, expires REAL NOT NULL, used INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE oauth_grants (
    app TEXT NOT NULL, user TEXT NOT NULL, refresh_token TEXT UNIQUE NOT NULL, scopes TEXT, PRIMARY KEY (app, user)
) WITHOUT ROWID;

-- The logs of the organization: requests, activities, and text events.
CREATE TABLE requests (
    number INTEGER PRIMARY KEY, time REAL NOT NULL, event TEXT NOT NULL, source TEXT NOT NULL,
    token_digest TEXT NOT NULL, token_name TEXT NOT NULL, token_type TEXT NOT NULL,
    user TEXT NOT NULL, user_name TEXT NOT NULL, user_email TEXT NOT NULL,
    resource TEXT, resource_name TEXT, resource_type TEXT, address TEXT NOT NULL
);
CREATE INDEX requests_by_time ON requests (time, number);
CREATE TABLE activities (number INTEGER PRIMARY KEY, time REAL NOT NULL, type TEXT NOT NULL, document BLOB NOT NULL);
CREATE INDEX activities_by_time ON activities (time, number);
CREATE TABLE text_events (number INTEGER PRIMARY KEY, time REAL NOT NULL, document BLOB NOT NULL);
CREATE INDEX text_events_by_time ON text_events (time, number);

-- Roles on teams and folders, and groups of users.
CREATE TABLE team_roles (team TEXT NOT NULL, user TEXT NOT NULL, role TEXT, PRIMARY KEY (team, user)) WITHOUT ROWID;
CREATE TABLE folder_roles (
    folder TEXT NOT NULL, member TEXT NOT NULL, role TEXT, PRIMARY KEY (folder, member)
) WITHOUT ROWID;
CREATE TABLE user_groups (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, name TEXT NOT NULL);
CREATE TABLE user_group_members (member TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (member, id)) WITHOUT ROWID;

-- Variables and collections as JSON documents, their aliases, and what is published.
CREATE TABLE collections (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, parent TEXT, state INTEGER NOT NULL,
    changed INTEGER NOT NULL, document BLOB NOT NULL, UNIQUE (file, id)
);
CREATE TABLE variables (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL,
    type TEXT NOT NULL, state INTEGER NOT NULL, changed INTEGER NOT NULL, document BLOB NOT NULL, UNIQUE (file, id)
);
CREATE INDEX variables_of_collection ON variables (file, collection);
CREATE INDEX variables_deleted ON variables (file) WHERE state = 1;
CREATE TABLE aliases (
    file INTEGER, source TEXT, mode TEXT, target TEXT, PRIMARY KEY (file, source, mode, target)
) WITHOUT ROWID;
CREATE INDEX aliases_to ON aliases (file, target);
CREATE TABLE published (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, document BLOB NOT NULL,
    UNIQUE (file, kind, id)
);
CREATE TABLE published_sources (
    file INTEGER, kind TEXT, id TEXT, document BLOB NOT NULL, PRIMARY KEY (file, kind, id)
) WITHOUT ROWID;
CREATE TABLE bound_to_shared_fonts (file INTEGER, variable TEXT, PRIMARY KEY (file, variable)) WITHOUT ROWID;

-- Webhooks, the events that wait to be delivered, and the requests that were sent.
CREATE TABLE webhooks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, event_type TEXT NOT NULL, context TEXT NOT NULL, context_id TEXT NOT NULL,
    team TEXT NOT NULL, plan TEXT NOT NULL, status TEXT NOT NULL, client TEXT, passcode TEXT NOT NULL,
    endpoint TEXT NOT NULL, description TEXT
);
CREATE INDEX webhooks_of_context ON webhooks (context, context_id);
CREATE INDEX webhooks_of_plan ON webhooks (plan);
CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY, webhook INTEGER NOT NULL, payload BLOB NOT NULL, due REAL NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0, leased REAL NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_due ON deliveries (due);
CREATE TABLE webhook_requests (
    number INTEGER PRIMARY KEY AUTOINCREMENT, webhook INTEGER NOT NULL, endpoint TEXT NOT NULL, payload BLOB NOT NULL,
    sent REAL NOT NULL, received REAL, status INTEGER, error TEXT
);
CREATE INDEX webhook_requests_of_webhook ON webhook_requests (webhook);
CREATE INDEX webhook_requests_sent ON webhook_requests (sent);
CREATE TABLE edits (file INTEGER PRIMARY KEY, last REAL NOT NULL);

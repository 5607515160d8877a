import { type CommandSpec, JSON_OPTION } from '../spec.ts'

/** Commands for the service, and for the content of a complete space. */
export const serviceCommands: readonly CommandSpec[] = [
  {
    name: 'import',
    summary: 'import a folder of Markdown files, an archive or a bundle into a space',
    about:
      'A folder: every .md file becomes the page at its path without .md; ' +
      'the space is created if it does not exist. ' +
      'Unchanged pages are skipped, so an interrupted import can be repeated. ' +
      'Other files become files of the space. Hidden files and folders and symbolic links are ignored. ' +
      '`.recto-import.json` in the folder records the imported versions: ' +
      'later changes of others are merged with yours, and a page is rejected if both changed the same lines, ' +
      'or if it exists and was never imported. A file: a ZIP archive or a bundle written by `recto export`, ' +
      'with metadata and history; it is validated before anything is written.',
    arguments: [{ name: 'source', summary: 'a folder, or a .zip or .json file', names: 'file' }],
    options: {
      space: { value: 'slug', summary: 'the target space (required)', names: 'space' },
      obsidian: { summary: 'convert [[wikilinks]] of an Obsidian vault, which is a folder, to links' },
      'on-conflict': {
        value: 'what',
        choices: ['fail', 'skip', 'overwrite', 'merge'],
        summary:
          'for a folder, what to do with pages that others have changed since the last import (default merge); ' +
          'for a file, with pages that exist (default fail; merge is not possible)',
      },
      metadata: {
        value: 'source',
        choices: ['front-matter'],
        summary: 'import the front matter of pages as metadata; in a file, of pages that bring no metadata',
      },
      restrictions: {
        value: 'file',
        summary:
          'for a folder that comes from Confluence, make folder rules of the page restrictions in this JSON file, ' +
          'and import no page that is not in it; for organisation admins',
        names: 'file',
      },
      'dry-run': { summary: 'show what would change without changing it' },
    },
    examples: [
      ['import ./docs --space docs', 'import a folder'],
      ['import ./wiki --space wiki --restrictions pages.json --dry-run', 'preview the folder rules'],
      ['import docs.zip --space copy --on-conflict skip --dry-run', 'preview the import of an archive'],
    ],
    exits: '1 if files were rejected, 2 if the import stopped early.',
    run: async (call) => (await import('../import/import.ts')).importCommand(call),
  },
  {
    name: 'export',
    summary: 'export a space to a file',
    about:
      'Writes a ZIP archive of Markdown files if the name ends in .zip, else a JSON bundle. `recto import` reads both.',
    arguments: [{ name: 'file', summary: 'the file to create', names: 'file' }],
    options: {
      space: { value: 'slug', summary: 'the space to export (required)', names: 'space' },
      history: { summary: 'include all revisions' },
    },
    examples: [['export docs.zip --space docs --history', 'with the history of all pages']],
    run: async (call) => (await import('../import/transfer.ts')).exportCommand(call),
  },
  {
    name: 'changes',
    summary: 'show the change feed; --follow streams new events',
    about: 'Prints one line per event; with --json the event and its cursor.',
    options: {
      follow: { short: 'f', summary: 'keep running and print new events' },
      since: { value: 'cursor', summary: 'start after this cursor, or at `now`; at the oldest event if absent' },
      space: { value: 'slug', summary: 'limit to this space', names: 'space' },
      kind: { value: 'kind', many: true, summary: 'limit to this kind of event, e.g. page.updated' },
      ...JSON_OPTION,
    },
    examples: [['changes --since now --follow --space docs', 'stream new events of a space']],
    run: async (call) => (await import('./changes.ts')).changesCommand(call),
  },
  {
    name: 'api',
    summary: 'send any request to the API',
    about:
      'Prints the body of the response. It asks for JSON unless a header Accept is given. ' +
      'Statuses from 400 are errors. See docs/api.md for the operations.',
    arguments: [
      {
        name: 'method',
        summary: 'the method; without it GET, with a body POST',
        choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        optional: true,
      },
      { name: 'path', summary: 'path and query, e.g. /spaces?limit=5' },
    ],
    options: {
      data: { value: 'text', short: 'd', summary: 'the body; `@file` reads it from a file, `@-` from standard input' },
      header: { value: 'name: value', short: 'H', many: true, summary: 'a header of the request' },
      json: { summary: 'print an error as JSON, too' },
    },
    examples: [
      ["api '/spaces?limit=5' --jq '.items[].slug'", 'a part of the response'],
      ['api PATCH /spaces/docs -d \'{"name": "Docs"}\'', 'a change'],
    ],
    run: async (call) => (await import('./api.ts')).apiCommand(call),
  },
  {
    name: 'open',
    summary: 'open a page, a space or the service in the browser',
    arguments: [{ name: 'page', summary: 'a page or a space; the service if absent', optional: true, names: 'page' }],
    options: { print: { summary: 'print the URL instead' } },
    examples: [
      ['open docs/guide/start', ''],
      ['open docs --print', 'the URL of a space'],
    ],
    run: async (call) => (await import('../pages/open.ts')).openCommand(call),
  },
  {
    name: 'mcp',
    summary: 'run an MCP server on standard input and output',
    about:
      'For MCP clients that start servers as programs. It relays every message to the service, ' +
      'which answers with the permissions of the key.',
    examples: [['mcp', 'configure this as the server command of an MCP client']],
    run: async ({ terminal }) => (await import('./mcp.ts')).mcpCommand(terminal),
  },
  {
    name: 'serve',
    summary: 'run the service',
    about: 'Runs until SIGINT or SIGTERM. It is configured by environment variables SVC_*, see docs/configuration.md.',
    examples: [['serve', 'on http://localhost:3000']],
  },
  {
    name: 'backup',
    summary: 'back up the database to a file while the service runs',
    about:
      'Backs up the database in SVC_DATA. The backup contains every write that was acknowledged before it started. ' +
      'It contains all pages and secrets: protect it accordingly. With --portable it has the rows of all tables as ' +
      'text, which any PostgreSQL from 15 can load; then the database may also be your own (SVC_DATABASE_URL).',
    arguments: [{ name: 'file', summary: 'the file to create', names: 'file' }],
    options: { portable: { summary: 'independent of the version of PostgreSQL, and of where the database is' } },
    examples: [
      ['backup /backups/recto-2026-11-21', ''],
      ['backup --portable recto.portable', 'to move to another database'],
    ],
    commands: [
      {
        name: 'restore',
        summary: 'restore a database from a backup, and verify it',
        about:
          'Restores into SVC_DATA, which must not contain a database or be in use. ' +
          'Every file is checked against the manifest of the backup; ' +
          'then PostgreSQL starts on it, and all tables and indexes are verified. ' +
          'A portable backup is restored with --portable, also into an empty database of your own; ' +
          'all rows are read again and compared with the digests of the backup.',
        arguments: [{ name: 'file', summary: 'the backup', names: 'file' }],
        options: {
          portable: { summary: 'the backup was made with --portable' },
          'database-url': { value: 'url', summary: 'restore a portable backup into this empty database' },
        },
        examples: [
          ['backup restore /backups/recto-2026-11-21', ''],
          ['backup restore --portable recto.portable --database-url postgres://recto@db/recto', 'into your own server'],
        ],
      },
    ],
  },
  {
    name: 'migrate-database',
    summary: 'move the embedded database to a PostgreSQL server of your own',
    about:
      'Copies everything in SVC_DATA to an empty database of PostgreSQL 15 or newer, ' +
      'and compares the rows of all tables. A service that runs goes on reading; ' +
      'its writes get 503 until it is started with SVC_DATABASE_URL. ' +
      'After a failure, or Ctrl-C, the old database takes writes again; after a kill, with the next start.',
    arguments: [{ name: 'url', summary: 'the empty database, e.g. postgres://recto@db/recto' }],
    examples: [['migrate-database postgres://recto@db/recto', '']],
  },
  {
    name: 'check-database',
    summary: 'check the database for damage, while the service runs or not',
    about:
      'Checks the database in SVC_DATA, or that of SVC_DATABASE_URL: ' +
      'the checksums of all blocks, tables and indexes (amcheck), every version of every page, the bytes of files, ' +
      'and references and counters that no constraint states. What needs a superuser is skipped for others. ' +
      'It changes nothing, uses one connection, and writers do not wait for it. ' +
      'Prints each finding with its place and what to do.',
    options: JSON_OPTION,
    examples: [['check-database', '']],
    exits: '1 if anything is wrong.',
  },
  {
    name: 'completion',
    summary: 'print a shell completion script',
    arguments: [{ name: 'shell', summary: 'the shell', choices: ['bash', 'zsh'] }],
    examples: [
      ['completion bash > /etc/bash_completion.d/recto', 'for all users'],
      ['completion zsh > ~/.zfunc/_recto', 'for zsh'],
    ],
  },
  {
    name: 'complete',
    summary: 'print completions of the last word',
    hidden: true,
    arguments: [{ name: 'word', summary: 'the command line after `recto`', many: true, optional: true }],
  },
]

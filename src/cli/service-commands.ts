import { type CommandSpec, JSON_OPTION } from './spec.ts'

/** What has to do with the service as a whole. */
export const serviceCommands: readonly CommandSpec[] = [
  {
    name: 'import',
    summary: 'load a folder of Markdown, an archive or a bundle into a space',
    about:
      'From a folder: every Markdown file becomes a page, at its path without .md; the space is made when it is missing. Pages that hold the same bytes are left alone, so that a run which was cut short is finished by another. Hidden folders are left out. `.recto-import.json` in the folder records which version of each page was imported: changes of others since then are merged with yours, and a page where both changed the same lines, or that no import wrote, is refused by name. From a file, an archive of Markdown files or a bundle: its pages, with metadata and history; it is checked as a whole before anything is written.',
    connects: true,
    arguments: [{ name: 'source', summary: 'the folder, or the .zip or .json file', names: 'file' }],
    options: {
      space: { value: 'slug', summary: 'the space to load into; it must be named', names: 'space' },
      obsidian: { summary: 'the folder is an Obsidian vault: its [[wikilinks]] become links' },
      'on-conflict': {
        value: 'what',
        choices: ['fail', 'skip', 'overwrite', 'merge'],
        summary:
          'what happens to pages that others changed since the last import (of a folder; default merge), or that exist (of a file; default fail; never merge)',
      },
      metadata: {
        value: 'source',
        choices: ['front-matter'],
        summary: 'of a folder: values of the front matter become metadata of the page',
      },
      'dry-run': { summary: 'only tell what would happen' },
    },
    examples: [
      ['import ./docs --space docs', 'a folder'],
      ['import docs.zip --space copy --on-conflict skip --dry-run', 'what an archive would do'],
    ],
    exits: '1 when some files were refused.',
    run: async ({ words, terminal }) => (await import('./import.ts')).importCommand(words, terminal),
  },
  {
    name: 'export',
    summary: 'write a space to a file',
    about:
      'A ZIP archive of Markdown files where the name ends in .zip, else one bundle of JSON. `recto import` takes both.',
    connects: true,
    arguments: [{ name: 'file', summary: 'a new file', names: 'file' }],
    options: {
      space: { value: 'slug', summary: 'the space to export; it must be named', names: 'space' },
      history: { summary: 'with all revisions, their notes, authors and times' },
    },
    examples: [['export docs.zip --space docs --history', 'all there is']],
    run: async (call) => (await import('./transfer.ts')).exportCommand(call),
  },
  {
    name: 'changes',
    summary: 'print what happened, and what happens',
    about:
      'One line for each event; with --json the event with its cursor. Without --follow it ends with what is there.',
    connects: true,
    options: {
      follow: { short: 'f', summary: 'go on until it is stopped' },
      since: { value: 'cursor', summary: 'behind this cursor, or `now`; the beginning when absent' },
      space: { value: 'slug', summary: 'only of this space', names: 'space' },
      kind: { value: 'kind', many: true, summary: 'only such events, as page.updated' },
      ...JSON_OPTION,
    },
    examples: [['changes --since now --follow --space docs', 'look on']],
    run: async (call) => (await import('./changes.ts')).changesCommand(call),
  },
  {
    name: 'mcp',
    summary: 'speak the Model Context Protocol on standard input and output',
    about:
      'For agents that start their tools as programs. Every message goes to the service, and is answered with the rights of the key.',
    connects: true,
    examples: [['mcp', 'as the command of an MCP client']],
    run: async ({ terminal }) => (await import('./mcp.ts')).mcpCommand(terminal),
  },
  {
    name: 'serve',
    summary: 'run the service',
    about:
      'Until it gets SIGINT or SIGTERM. It is configured by the variables SVC_*, which docs/configuration.md lists.',
    examples: [['serve', 'on http://127.0.0.1:3000']],
  },
  {
    name: 'backup',
    summary: 'write the embedded database to a file, while the service runs',
    about:
      'Of the data folder (SVC_DATA). All that was acknowledged before is in it. The file holds every page and every secret of the service: keep it as you keep those. With a database of your own (SVC_DATABASE_URL) use its own tools.',
    arguments: [{ name: 'file', summary: 'a new file', names: 'file' }],
    examples: [['backup /backups/recto-2026-11-21', '']],
    run: async (call) => (await import('./backup.ts')).backupCommand(call),
  },
  {
    name: 'restore',
    summary: 'make an embedded database from such a file, and check it',
    about:
      'Into a data folder (SVC_DATA) that has none. Every file is checked against the manifest of the backup, then the server is started on it, and every table and index is checked. The service must not run on the folder.',
    arguments: [{ name: 'file', summary: 'the backup', names: 'file' }],
    examples: [['restore /backups/recto-2026-11-21', '']],
    run: async (call) => (await import('./backup.ts')).restoreCommand(call),
  },
  {
    name: 'completion',
    summary: 'print what makes a shell complete commands, options, spaces and pages',
    arguments: [{ name: 'shell', summary: 'your shell', choices: ['bash', 'zsh'] }],
    examples: [
      ['completion bash > /etc/bash_completion.d/recto', 'for everybody'],
      ['completion zsh > ~/.zfunc/_recto', 'for zsh'],
    ],
  },
  {
    name: 'complete',
    summary: 'tell what could stand in the place of the last of these words',
    hidden: true,
    arguments: [{ name: 'word', summary: 'what was typed behind `recto`', many: true, optional: true }],
  },
]

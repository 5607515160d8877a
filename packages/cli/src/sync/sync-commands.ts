import { type CommandSpec, JSON_OPTION, type OptionSpec } from '../spec.ts'

const FOLDER: Readonly<Record<string, OptionSpec>> = {
  folder: { value: 'path', summary: 'the folder (default: the current one, or one above it)', names: 'file' },
}

const COMMON: Readonly<Record<string, OptionSpec>> = {
  ...FOLDER,
  full: { summary: 'compare all of the space, not only what the change feed names' },
  ...JSON_OPTION,
}

const RUN: Readonly<Record<string, OptionSpec>> = {
  ...COMMON,
  'dry-run': { summary: 'show what would change without changing it' },
  'allow-deletes': { summary: 'allow the deletion of more than a quarter of one side' },
}

const EXITS = '1 if files were not synchronised, 4 if there are conflicts.'

/** A folder in sync with a space. */
export const syncCommands: readonly CommandSpec[] = [
  {
    name: 'clone',
    summary: 'make a folder of a space, to edit its pages as files',
    about:
      'Every page becomes a Markdown file, and every file of the space a file. `.recto` in the folder remembers the ' +
      'versions. A folder with files can be used: equal files are recorded, others are merged. See docs/sync.md.',
    arguments: [
      {
        name: 'source',
        summary: 'the space: its slug, or a URL such as https://wiki.example.org/docs',
        names: 'space',
      },
      { name: 'folder', summary: 'the folder (default: the slug of the space)', optional: true, names: 'file' },
    ],
    options: {
      metadata: {
        value: 'where',
        choices: ['file', 'front-matter'],
        summary: 'keep metadata in `.recto/metadata.json` (default), or in the front matter of each file',
      },
      'change-request': { value: 'n', summary: 'the space as this change request makes it; pushes propose there' },
    },
    examples: [
      ['clone https://wiki.example.org/docs', 'into the folder docs'],
      ['clone docs review --change-request 12', 'to read and change a proposal'],
    ],
    exits: EXITS,
    run: async (call) => (await import('./sync.ts')).cloneCommand(call),
  },
  {
    name: 'pull',
    summary: 'apply changes of the space to the folder',
    about:
      'What both sides changed is merged line by line into the file; conflicts get conflict markers. ' +
      'Nothing is written to the space.',
    options: RUN,
    examples: [['pull --dry-run', 'show what would change']],
    exits: EXITS,
    run: async (call) => (await import('./sync.ts')).syncCommand(call, 'pull'),
  },
  {
    name: 'push',
    summary: 'apply changes of the folder to the space',
    about:
      'Every write names the version that it is based on. ' +
      'A page that somebody else has changed is merged line by line; with a conflict it is not written. ' +
      'Deleted files go to the trash, and moved ones keep their history. With --change-request nothing changes in ' +
      'the space: the folder follows the change request, until that is merged or closed.',
    options: {
      ...RUN,
      'change-request': {
        value: 'request',
        summary: 'only propose: in the change request of this number, or in a new one of this title',
      },
    },
    examples: [
      ['push', ''],
      ['push --change-request "Shorter start"', 'propose what the folder changes'],
    ],
    exits: EXITS,
    run: async (call) => (await import('./sync.ts')).syncCommand(call, 'push'),
  },
  {
    name: 'sync',
    summary: 'apply changes in both directions',
    about: 'A pull and a push in one. An interrupted run can be repeated.',
    options: {
      ...RUN,
      check: { summary: 'change nothing; exit with 4 if the folder and the space differ' },
      watch: { short: 'w', summary: 'keep running, and apply changes as they come' },
    },
    examples: [
      ['sync --watch', 'while you work'],
      ['sync --check', 'in CI'],
    ],
    exits: `${EXITS} With --check 4 if both sides differ.`,
    run: async (call) => (await import('./sync.ts')).syncCommand(call, 'sync'),
  },
  {
    name: 'status',
    summary: 'show what a folder and its space have changed',
    options: { ...COMMON, check: { summary: 'exit with 4 if the folder and the space differ' } },
    examples: [['status', '']],
    exits: 'with --check 4 if the folder and the space differ.',
    run: async (call) => (await import('./sync.ts')).statusCommand(call),
  },
  {
    name: 'diff',
    summary: 'show the differences between a folder and its space',
    about:
      'In the unified format: removed lines are those of the space, added ones those of the folder. ' +
      'Metadata has a line for each key.',
    arguments: [
      { name: 'file', summary: 'a file of the folder; all if absent', many: true, optional: true, names: 'file' },
    ],
    options: FOLDER,
    examples: [['diff guide/start.md', '']],
    run: async (call) => (await import('./sync.ts')).diffCommand(call),
  },
  {
    name: 'resolve',
    summary: 'resolve conflicts of files of a folder',
    about:
      'Keeps both texts, or those of one side, in place of the conflict markers. You can also edit the file ' +
      'yourself. Of a file that is no Markdown, the copy with `(conflict ...)` in its name is yours.',
    arguments: [{ name: 'file', summary: 'a file with a conflict', many: true, names: 'file' }],
    options: {
      ...FOLDER,
      keep: {
        value: 'side',
        choices: ['mine', 'theirs', 'both'],
        summary: 'the folder’s text, the space’s, or both (default)',
      },
    },
    examples: [['resolve guide/start.md --keep theirs', '']],
    local: true,
    run: async (call) => (await import('./sync.ts')).resolveCommand(call),
  },
]

import { redirectEndedText } from '@recto/contract/redirect-ended.ts'
import { operationCommand } from '../operation-command.ts'
import { type CommandSpec, formerly, IF_MATCH, JSON_OPTION, LIST_OPTIONS, PAGE, readIfMatch, SPACE } from '../spec.ts'
import { pageIn, parseVersion } from './page-name.ts'

const NOTE = { note: { value: 'text', short: 'm', summary: 'message of the revision' } } as const

const commands: readonly CommandSpec[] = [
  {
    name: 'get',
    summary: 'print the Markdown of a page',
    arguments: [PAGE],
    options: {
      version: { value: 'n', summary: 'print this version instead of the latest' },
      html: { summary: 'print HTML' },
      outline: { summary: 'print the headings with their line numbers' },
      json: { summary: 'print the page as JSON, including its body; with --outline, the headings' },
    },
    examples: [
      ['get docs/guide/start > start.md', 'the Markdown, byte for byte'],
      ['get docs/guide/start --version 3', 'an older version'],
      ['get docs/guide/start --json', 'with version, ETag and author'],
    ],
    run: async (call) => (await import('./get.ts')).getCommand(call),
  },
  {
    name: 'put',
    summary: 'create or replace a page from a file or standard input',
    about:
      'Without --version or --if-match it only creates pages. ' +
      'To replace a page, pass the version that you have read, so that no change of others is lost.',
    arguments: [
      PAGE,
      { name: 'file', summary: 'the Markdown; standard input if absent or `-`', optional: true, names: 'file' },
    ],
    options: {
      ...IF_MATCH,
      ...NOTE,
      template: { value: 'name', summary: 'create the page from a page template, `name` or `space/name`' },
      var: { value: 'name=text', many: true, summary: 'set a variable of the template' },
      meta: { value: 'key=value', many: true, summary: 'set metadata of the new page; the value is JSON or text' },
      'change-request': {
        value: 'request',
        summary: 'only propose it: in the change request of this number, or in a new one of this title',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['put docs/guide/start start.md', 'create a page'],
      ['put docs/guide/start start.md --version 3 -m shorter', 'replace version 3'],
      ['put docs/decisions/0002 --template decision --var customer=Ada', 'create from a template'],
      ['put docs/guide/start start.md --version 3 --change-request "Shorter start"', 'propose it'],
    ],
    run: async (call) => (await import('./put.ts')).putCommand(call),
  },
  {
    name: 'edit',
    summary: 'edit a page in your editor, or a part of it by options',
    about:
      'Without editing options it opens $VISUAL or $EDITOR. If your text cannot be saved, it stays in a file. ' +
      'A text that starts with @ names a file to read; `@-` is standard input.',
    arguments: [PAGE],
    options: {
      append: { value: 'text', summary: 'add lines at the end' },
      prepend: { value: 'text', summary: 'add lines at the start, after the front matter' },
      replace: { value: 'text', summary: 'replace this exact text with the text of --with' },
      'replace-section': { value: 'heading', summary: 'replace the section below a heading' },
      'append-to-section': { value: 'heading', summary: 'add text at the end of a section' },
      'insert-before': { value: 'heading', summary: 'add text before a heading' },
      'insert-after': { value: 'heading', summary: 'add text directly after a heading' },
      with: { value: 'text', summary: 'the new text for the five options above' },
      count: { value: 'n', summary: 'expected number of matches of --replace (default 1)' },
      level: { value: 'n', summary: 'level of the heading' },
      occurrence: { value: 'n', summary: 'which of several equal headings, counted from 1' },
      edits: {
        value: 'file',
        summary: 'apply a JSON array of edits as in the API; `-` is standard input',
        names: 'file',
      },
      ...IF_MATCH,
      ...NOTE,
      ...JSON_OPTION,
    },
    examples: [
      ['edit docs/guide/start', 'in your editor'],
      ['edit docs/log --append "- done"', 'add a line'],
      ['edit docs/guide/start --replace colour --with color --count 3', 'three matches, or nothing'],
      ['edit docs/guide/start --replace-section Steps --with @steps.md', 'replace a section'],
    ],
    run: async (call) => (await import('./edit.ts')).editCommand(call),
  },
  {
    name: 'ls',
    summary: 'list spaces, or the pages of a space',
    arguments: [
      {
        name: 'space',
        summary: 'a space, or <space>/<path prefix>; all spaces if absent',
        optional: true,
        names: 'page',
      },
    ],
    options: {
      recent: { summary: 'recently changed pages, of all spaces if none is named' },
      trash: { summary: 'pages in the trash of the space' },
      ...LIST_OPTIONS,
    },
    examples: [
      ['ls', 'the spaces that you can read'],
      ['ls docs/guide/', 'pages below docs/guide'],
      ['ls --recent --limit 10', 'recent changes'],
    ],
    run: async (call) => (await import('./list-pages.ts')).listPagesCommand(call),
  },
  {
    name: 'search',
    summary: 'search the text of pages',
    about:
      'Understands "a phrase", -excluded and or. The last word matches as a prefix. ' +
      'Put -- before words that start with a hyphen.',
    arguments: [{ name: 'words', summary: 'the words to search for', many: true }],
    options: {
      space: { value: 'slug', summary: 'limit to this space', names: 'space' },
      filter: { value: 'filter', many: true, summary: 'filter by metadata, as in `recto meta query`' },
      passages: { summary: 'print the lines of the best pages that are about the words' },
      ...LIST_OPTIONS,
    },
    examples: [
      ['search release notes --space docs', 'in one space'],
      ['search -- \'"release notes"\' -draft', 'a phrase, without drafts'],
    ],
    run: async (call) => (await import('./search.ts')).searchCommand(call),
  },
  {
    name: 'log',
    summary: 'list the revisions of a page, newest first',
    arguments: [PAGE],
    options: {
      patch: { short: 'p', summary: 'show what each revision changed, in the unified format' },
      ...LIST_OPTIONS,
    },
    examples: [
      ['log docs/guide/start', ''],
      ['log docs/guide/start -p --limit 3', 'the last three changes'],
    ],
    run: async (call) => (await import('./log.ts')).logCommand(call),
  },
  {
    name: 'compare',
    summary: 'show the differences between two versions of a page',
    about: 'In the unified format.',
    arguments: [
      PAGE,
      { name: 'from', summary: 'number of the older version' },
      { name: 'to', summary: 'number of the newer version; the latest if absent', optional: true },
    ],
    examples: [['compare docs/guide/start 3 5', '']],
    run: async (call) => (await import('./log.ts')).compareCommand(call),
  },
  operationCommand('revert', 'restore an older version of a page as a new version', 'pages.versions.restore', {
    arguments: [PAGE, { name: 'n', summary: 'number of the version to restore' }],
    options: IF_MATCH,
    examples: [['revert docs/guide/start 3', 'restore the content of version 3']],
    values: (_, call) => ({ ...pageIn(call), n: parseVersion(call.arg('n')), ifMatch: readIfMatch(call) }),
    text: ({ version }, call) => {
      const { space, path } = pageIn(call)
      return `Restored version ${call.arg('n')} of ${space}/${path} as version ${version}.`
    },
  }),
  {
    name: 'mv',
    summary: 'move a page, or a folder with all pages in it',
    about:
      'The old path redirects to the new one. With --children the path can be a folder without a page of its own; ' +
      'either all pages move or none.',
    arguments: [
      PAGE,
      { name: 'to', summary: 'the new place as <space>/<path>; with a slash at its end the folder', names: 'page' },
    ],
    options: {
      ...IF_MATCH,
      children: { summary: 'also move the pages below it' },
      'rewrite-links': { summary: 'update links to it in pages that you can edit (default)' },
      'no-rewrite-links': { summary: 'keep links as they are; the old path redirects' },
      'dry-run': { summary: 'show what would change without changing it' },
      ...JSON_OPTION,
    },
    examples: [['mv docs/guide docs/handbook --children', 'move a folder']],
    run: async (call) => (await import('./lifecycle.ts')).moveCommand(call),
  },
  {
    name: 'rm',
    summary: 'move a page, or a folder with all pages in it, to the trash',
    arguments: [PAGE],
    options: {
      ...IF_MATCH,
      children: { summary: 'also delete the pages below it; either all or none' },
      'dry-run': { summary: 'with --children: show what would be deleted' },
      purge: { summary: 'delete it permanently, with its history; requires the admin role' },
    },
    examples: [
      ['rm docs/guide/start --version 4', 'only if the page has not changed'],
      ['rm docs/guide --children --dry-run', 'list the pages that would be deleted'],
    ],
    run: async (call) => (await import('./lifecycle.ts')).removeCommand(call),
  },
  operationCommand('restore', 'restore a page from the trash', 'pages.restore', {
    arguments: [PAGE],
    examples: [['restore docs/guide/start', 'with its history and metadata']],
    values: (_, call) => ({ ...pageIn(call) }),
    text: (page) => `Restored ${page.space}/${page.path} as version ${page.version}.${redirectEndedText(page)}`,
  }),
  operationCommand('templates', 'list page templates', 'templates.list', {
    arguments: [{ ...SPACE, optional: true }],
    examples: [['templates docs', 'templates of one space']],
    none: 'No page templates. Pages below templates/ in a space are templates.',
    columns: {
      TEMPLATE: [({ space, name }) => `${space}/${name}`, 'middle'],
      TITLE: 'title…',
      VARIABLES: [({ variables }) => variables.join(', '), true],
      DESCRIPTION: 'description…',
    },
  }),
]

/** Commands that read, write and find pages. */
export const pageCommands: readonly CommandSpec[] = [
  ...commands,
  ...commands.filter(({ name }) => name === 'revert').map((spec) => formerly('promote', spec)),
  ...['undelete', 'restore-page'].flatMap((former) =>
    commands.filter(({ name }) => name === 'restore').map((spec) => formerly(former, spec)),
  ),
  ...commands.filter(({ name }) => name === 'log').map((spec) => formerly('versions', spec)),
]

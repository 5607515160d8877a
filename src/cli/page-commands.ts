import { type CommandSpec, JSON_OPTION, LIST_OPTIONS, PAGE, SPACE } from './spec.ts'

const IF_MATCH = {
  version: { value: 'n', summary: 'only if this is the latest version' },
  'if-match': { value: 'tag', summary: 'the same by its ETag; `*` is whichever stands there' },
} as const
const NOTE = { note: { value: 'text', short: 'm', summary: 'what the revision is about' } } as const

/** Reading, writing and finding pages. */
export const pageCommands: readonly CommandSpec[] = [
  {
    name: 'get',
    summary: 'print a page, as its Markdown',
    connects: true,
    arguments: [PAGE],
    options: {
      version: { value: 'n', summary: 'that revision, and not the latest' },
      html: { summary: 'print it as HTML' },
      outline: { summary: 'print its headings, each with its line' },
      json: { summary: 'print the page object, with the body; with --outline, the headings' },
    },
    examples: [
      ['get docs/guide/start > start.md', 'the Markdown, byte for byte'],
      ['get docs/guide/start --version 3', 'as it was'],
      ['get docs/guide/start --json', 'with version, ETag and author'],
    ],
    run: async (call) => (await import('./get.ts')).getCommand(call),
  },
  {
    name: 'put',
    summary: 'write a page from a file or from standard input',
    about:
      'Makes a page where none stands. To replace one, say which version you have read: nobody is overwritten unseen.',
    connects: true,
    arguments: [
      PAGE,
      {
        name: 'file',
        summary: 'the Markdown; standard input when absent, or `-`',
        optional: true,
        names: 'file',
      },
    ],
    options: {
      ...IF_MATCH,
      ...NOTE,
      template: { value: 'name', summary: 'make it from a page template, `name` or `space/name`' },
      var: { value: 'name=text', many: true, summary: 'a variable of the template' },
      meta: { value: 'key=value', many: true, summary: 'metadata of a new page, the value as JSON or text' },
      ...JSON_OPTION,
    },
    examples: [
      ['put docs/guide/start start.md', 'makes the page'],
      ['put docs/guide/start start.md --version 3 -m shorter', 'replaces version 3'],
      ['put docs/decisions/0002 --template decision --var customer=Ada', 'from a template'],
    ],
    run: async (call) => (await import('./put.ts')).putCommand(call),
  },
  {
    name: 'edit',
    summary: 'change a page in your editor, or a part of it at once',
    about:
      'Without an edit it opens $VISUAL or $EDITOR. What you typed is kept in a file whenever it could not be written. A text that begins with @ is read from that file, `@-` is standard input.',
    connects: true,
    arguments: [PAGE],
    options: {
      append: { value: 'text', summary: 'add lines at the end' },
      prepend: { value: 'text', summary: 'add lines at the beginning, behind the front matter' },
      replace: { value: 'text', summary: 'replace exact text; --with is what takes its place' },
      'replace-section': { value: 'heading', summary: 'replace what stands below a heading' },
      'insert-before': { value: 'heading', summary: 'add text before a heading' },
      'insert-after': { value: 'heading', summary: 'add text right behind a heading' },
      with: { value: 'text', summary: 'the new text of the four before' },
      count: { value: 'n', summary: 'how often the text to replace stands there (1 unless told)' },
      level: { value: 'n', summary: 'which heading, by its level' },
      occurrence: { value: 'n', summary: 'which of several equal headings, counted from 1' },
      edits: {
        value: 'file',
        summary: 'many edits as JSON, as the API takes them; `-` is standard input',
        names: 'file',
      },
      ...IF_MATCH,
      ...NOTE,
      ...JSON_OPTION,
    },
    examples: [
      ['edit docs/guide/start', 'in your editor'],
      ['edit docs/log --append "- done"', 'one line more'],
      ['edit docs/guide/start --replace colour --with color --count 3', 'three places, or nothing'],
      ['edit docs/guide/start --replace-section Steps --with @steps.md', 'one section'],
    ],
    run: async (call) => (await import('./edit.ts')).editCommand(call),
  },
  {
    name: 'ls',
    summary: 'list spaces, or the pages of a space',
    connects: true,
    arguments: [
      {
        name: 'space',
        summary: 'a space, or <space>/<beginning of paths>; all spaces when absent',
        optional: true,
        names: 'page',
      },
    ],
    options: {
      recent: { summary: 'the latest change first; without a space, of all spaces' },
      trash: { summary: 'the deleted pages of the space' },
      ...LIST_OPTIONS,
    },
    examples: [
      ['ls', 'your spaces'],
      ['ls docs/guide/', 'the pages below docs/guide'],
      ['ls --recent --limit 10', 'what was changed last'],
    ],
    run: async (call) => (await import('./list-pages.ts')).listPagesCommand(call),
  },
  {
    name: 'search',
    summary: 'find pages by words',
    about:
      '"a phrase", -not and or are understood; the last word may be begun. Put -- before words that begin with a hyphen.',
    connects: true,
    arguments: [{ name: 'words', summary: 'what to look for', many: true }],
    options: {
      space: { value: 'slug', summary: 'only in this space', names: 'space' },
      filter: { value: 'filter', many: true, summary: 'only with such metadata, as in `recto meta query`' },
      ...LIST_OPTIONS,
    },
    examples: [
      ['search release notes --space docs', 'in one space'],
      ['search -- \'"release notes"\' -draft', 'a phrase, without drafts'],
    ],
    run: async (call) => (await import('./search.ts')).searchCommand(call),
  },
  {
    name: 'versions',
    summary: 'list the revisions of a page, the latest first',
    connects: true,
    arguments: [PAGE],
    options: LIST_OPTIONS,
    examples: [['versions docs/guide/start', 'who wrote what, and when']],
    run: async (call) => (await import('./lifecycle.ts')).versionsCommand(call),
  },
  {
    name: 'promote',
    summary: 'make an old revision the latest, as a new one',
    connects: true,
    arguments: [PAGE, { name: 'n', summary: 'its version' }],
    options: { ...IF_MATCH, ...JSON_OPTION },
    examples: [['promote docs/guide/start 3', 'as it was in version 3']],
    run: async (call) => (await import('./lifecycle.ts')).promoteCommand(call),
  },
  {
    name: 'mv',
    summary: 'move a page, or a folder with all pages in it',
    about:
      'The old address redirects to the new one. With --children the path need not be a page: everything below it moves, all or nothing.',
    connects: true,
    arguments: [PAGE, { name: 'to', summary: 'where to, as <space>/<path>', names: 'page' }],
    options: {
      ...IF_MATCH,
      children: { summary: 'move the pages below it, too; the path may be a folder without a page' },
      'rewrite-links': { summary: 'change the links to it, in pages that you may edit: the default' },
      'no-rewrite-links': { summary: 'leave all links as they are: the old address redirects' },
      'dry-run': { summary: 'only tell what would be done' },
      ...JSON_OPTION,
    },
    examples: [['mv docs/guide docs/handbook --children', 'a folder with all pages in it']],
    run: async (call) => (await import('./lifecycle.ts')).moveCommand(call),
  },
  {
    name: 'rm',
    summary: 'put a page, or a folder with all pages in it, into the trash',
    connects: true,
    arguments: [PAGE],
    options: {
      ...IF_MATCH,
      children: {
        summary: 'the pages below it, too, all or nothing; the path may be a folder without a page',
      },
      'dry-run': { summary: 'with --children: only tell what would be deleted' },
      purge: { summary: 'remove it for good, with its history; for admins of the space' },
    },
    examples: [
      ['rm docs/guide/start --version 4', 'only if nobody changed it meanwhile'],
      ['rm docs/guide --children --dry-run', 'which pages would go'],
    ],
    run: async (call) => (await import('./lifecycle.ts')).removeCommand(call),
  },
  {
    name: 'undelete',
    summary: 'bring a page back from the trash',
    connects: true,
    arguments: [PAGE],
    options: JSON_OPTION,
    examples: [['undelete docs/guide/start', 'with its history and metadata']],
    run: async (call) => (await import('./lifecycle.ts')).undeleteCommand(call),
  },
  {
    name: 'templates',
    summary: 'list page templates',
    connects: true,
    arguments: [{ ...SPACE, optional: true }],
    options: LIST_OPTIONS,
    examples: [['templates docs', 'those of one space']],
    run: async (call) => (await import('./list-pages.ts')).templatesCommand(call),
  },
]

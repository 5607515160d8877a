import { operationCommand } from '../operation-command.ts'
import { type CommandSpec, formerly, LIST_OPTIONS, PAGE, SPACE } from '../spec.ts'

const load = () => import('./links.ts')

const reports: readonly CommandSpec[] = [
  {
    name: 'broken',
    summary: 'list the broken links of a space',
    arguments: [SPACE],
    options: { check: { summary: 'exit with 1 if there are any' }, ...LIST_OPTIONS },
    examples: [['links broken docs --check', 'in a CI pipeline']],
    exits: '1 if --check is given and a link is broken.',
    run: async (call) => (await load()).brokenCommand(call),
  },
  operationCommand('orphans', 'list the pages of a space that no other page links to', 'links.orphans', {
    arguments: [SPACE],
    examples: [['links orphans docs']],
    none: 'No orphaned pages.',
    columns: { PATH: ['path', 'middle'], TITLE: 'title…', CHANGED: 'updatedAt' },
  }),
  operationCommand(
    'wanted',
    'list the missing pages that pages of a space link to, most linked first',
    'links.wanted',
    {
      arguments: [SPACE],
      examples: [['links wanted docs', 'what to write next']],
      none: 'No missing pages.',
      columns: {
        'MISSING PAGE': [({ space, path }) => `${space}/${path}`, 'middle'],
        'LINKED BY': ['pageCount', 'right'],
      },
    },
  ),
]

/** Commands for links between pages. */
export const linkCommands: readonly CommandSpec[] = [
  {
    name: 'links',
    summary: 'list the links and backlinks of a page, or report on the links of a space',
    arguments: [PAGE],
    options: {
      outbound: { summary: 'list only its outgoing links' },
      backlinks: { summary: 'list only its backlinks; VIA is the redirected URL that a page links to' },
      depth: { value: 'n', summary: 'list all pages within this number of links, 1 to 3' },
      ...LIST_OPTIONS,
    },
    examples: [
      ['links docs/guide/start', ''],
      ['links docs/guide/start --depth 2 --json', 'the neighbourhood as a graph'],
    ],
    commands: reports,
    run: async (call) => (await load()).linksCommand(call),
  },
  ...reports.map((spec) => formerly(spec.name, spec)),
]

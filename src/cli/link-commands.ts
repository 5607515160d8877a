import { type CommandSpec, LIST_OPTIONS, PAGE, SPACE } from './spec.ts'

const CHECK = { check: { summary: 'end with 1 when there are any, for scripts' } } as const
const load = () => import('./links.ts')

/** Links between pages. */
export const linkCommands: readonly CommandSpec[] = [
  {
    name: 'links',
    summary: 'list the links of a page, and the pages that link to it',
    connects: true,
    arguments: [PAGE],
    options: {
      outbound: { summary: 'only its own links' },
      backlinks: { summary: 'only the pages that link to it; VIA is the old URL by which one does' },
      depth: { value: 'n', summary: 'all pages within so many links, 1 to 3' },
      ...LIST_OPTIONS,
    },
    examples: [
      ['links docs/guide/start', 'both'],
      ['links docs/guide/start --depth 2 --json', 'the neighbourhood, for drawing'],
    ],
    run: async (call) => (await load()).linksCommand(call),
  },
  {
    name: 'broken',
    summary: 'list the links of a space that lead nowhere',
    connects: true,
    arguments: [SPACE],
    options: { ...CHECK, ...LIST_OPTIONS },
    examples: [['broken docs --check', 'in a pipeline']],
    exits: '1 when --check is given and a link is broken.',
    run: async (call) => (await load()).brokenCommand(call),
  },
  {
    name: 'orphans',
    summary: 'list the pages of a space to which no other page links',
    connects: true,
    arguments: [SPACE],
    options: LIST_OPTIONS,
    examples: [['orphans docs', '']],
    run: async (call) => (await load()).orphansCommand(call),
  },
  {
    name: 'wanted',
    summary: 'list the missing pages of a space that are linked to',
    connects: true,
    arguments: [SPACE],
    options: LIST_OPTIONS,
    examples: [['wanted docs', 'what to write next']],
    run: async (call) => (await load()).wantedCommand(call),
  },
]

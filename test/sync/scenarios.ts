/** Small changes of either side, and of both: each with one page or file, so that a run has few steps. */
import type { Actor } from './sides.ts'

type Change = (actor: Actor) => Promise<void>

const CHANGES: Readonly<Record<string, Change>> = {
  'creates a page': (actor) => actor.create('new', 'new\n'),
  'edits a page': (actor) => actor.edit('a', 'two', 'two, edited'),
  'moves a page': (actor) => actor.move('a', 'there/a'),
  'moves and edits a page': async (actor) => {
    await actor.move('a', 'there/a')
    await actor.edit('there/a', 'two', 'two, edited')
  },
  'deletes a page': (actor) => actor.remove('a'),
  'changes metadata': (actor) => actor.setMetadata('a', { key: 2 }),
  'edits a page and its metadata': async (actor) => {
    await actor.edit('a', 'two', 'two, edited')
    await actor.setMetadata('a', { key: 2 })
  },
  'moves a page to the path of a deleted one': async (actor) => {
    await actor.remove('b')
    await actor.move('a', 'b')
  },
  'swaps two pages': async (actor) => {
    await actor.move('a', 'there')
    await actor.move('b', 'a')
    await actor.move('there', 'b')
  },
  'creates a file': (actor) => actor.create('new.png', 'new'),
  'replaces a file': (actor) => actor.edit('x.png', 'x', 'edited'),
  'moves a file': (actor) => actor.move('x.png', 'there/x.png'),
  'deletes a file': (actor) => actor.remove('x.png'),
}

export interface Scenario {
  readonly name: string
  readonly folder?: Change
  readonly space?: Change
}

const edit =
  (path: string, part: string, by: string): Change =>
  (actor) =>
    actor.edit(path, part, by)

const BOTH: readonly Required<Scenario>[] = [
  {
    name: 'both edit lines of a page',
    folder: edit('a', 'a\n', 'a, here\n'),
    space: edit('a', 'three', 'three, there'),
  },
  { name: 'both edit a line', folder: edit('a', 'two', 'two, here'), space: edit('a', 'two', 'two, there') },
  {
    name: 'both change metadata',
    folder: (actor) => actor.setMetadata('a', { key: 2 }),
    space: (actor) => actor.setMetadata('a', { key: 3 }),
  },
  { name: 'both move a page', folder: (actor) => actor.move('a', 'here'), space: (actor) => actor.move('a', 'there') },
  {
    name: 'the folder edits what the space deletes',
    folder: edit('a', 'two', 'edited'),
    space: (actor) => actor.remove('a'),
  },
  {
    name: 'the folder deletes what the space edits',
    folder: (actor) => actor.remove('a'),
    space: edit('a', 'two', 'edited'),
  },
  {
    name: 'the folder moves what the space edits',
    folder: (actor) => actor.move('a', 'here'),
    space: edit('a', 'two', 'edited'),
  },
  {
    name: 'the folder edits what the space moves',
    folder: edit('a', 'two', 'edited'),
    space: (actor) => actor.move('a', 'there'),
  },
  {
    name: 'the folder deletes what the space moves',
    folder: (actor) => actor.remove('a'),
    space: (actor) => actor.move('a', 'there'),
  },
  { name: 'both replace a file', folder: edit('x.png', 'x', 'here'), space: edit('x.png', 'x', 'there') },
]

export const SCENARIOS: readonly Scenario[] = [
  ...Object.entries(CHANGES).flatMap(([name, change]) => [
    { name: `the folder ${name}`, folder: change },
    { name: `the space ${name}`, space: change },
  ]),
  ...BOTH,
]

const isOfFile = ({ name }: Scenario) => /\bfile\b/.test(name)
/** Files have no metadata. */
export const FILE_SCENARIOS = SCENARIOS.filter(isOfFile)
export const PAGE_SCENARIOS = SCENARIOS.filter((scenario) => !isOfFile(scenario))

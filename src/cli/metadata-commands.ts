import { type CommandSpec, JSON_OPTION, LIST_OPTIONS, PAGE } from './spec.ts'

const KEY_VALUES = {
  name: 'key=value',
  summary: 'the value as JSON (`3`, `true`, `["a"]`), else as text',
  many: true,
}
const TEXT = { text: { summary: 'take every value as text, whatever it looks like' } } as const
const load = () => import('./metadata.ts')

/** Metadata of pages. */
export const metadataCommands: CommandSpec = {
  name: 'meta',
  summary: 'read, change and query the metadata of pages',
  commands: [
    {
      name: 'get',
      summary: 'print the metadata of a page, or one value',
      connects: true,
      arguments: [
        PAGE,
        { name: 'key', summary: 'only this value: text as it is, else JSON', optional: true },
      ],
      options: JSON_OPTION,
      examples: [
        ['meta get docs/guide/start', 'all keys'],
        ['meta get docs/guide/start status', 'one value, for scripts'],
      ],
      run: async (call) => (await load()).getMetadataCommand(call),
    },
    {
      name: 'set',
      summary: 'give keys values, all or none',
      connects: true,
      arguments: [PAGE, KEY_VALUES],
      options: { ...TEXT, ...JSON_OPTION },
      examples: [['meta set docs/guide/start status=review due=2026-03-01 priority=2', 'three keys at once']],
      run: async (call) => (await load()).patchCommand(call, 'set'),
    },
    {
      name: 'append',
      summary: 'add elements to arrays',
      connects: true,
      arguments: [PAGE, KEY_VALUES],
      options: { ...TEXT, ...JSON_OPTION },
      examples: [['meta append docs/log seen=2026-03-01', 'one element more']],
      run: async (call) => (await load()).patchCommand(call, 'append'),
    },
    {
      name: 'append-unique',
      summary: 'add elements to arrays that do not hold them yet',
      connects: true,
      arguments: [PAGE, KEY_VALUES],
      options: { ...TEXT, ...JSON_OPTION },
      examples: [['meta append-unique docs/guide/start tags=howto tags=new', 'may be run again']],
      run: async (call) => (await load()).patchCommand(call, 'appendUnique'),
    },
    {
      name: 'unset',
      summary: 'delete keys',
      connects: true,
      arguments: [PAGE, { name: 'key', summary: 'keys to delete', many: true }],
      options: JSON_OPTION,
      examples: [['meta unset docs/guide/start due', '']],
      run: async (call) => (await load()).unsetCommand(call),
    },
    {
      name: 'history',
      summary: 'tell who changed which key, the latest first',
      connects: true,
      arguments: [PAGE],
      options: { key: { value: 'key', summary: 'only this key' }, ...LIST_OPTIONS },
      examples: [['meta history docs/guide/start --key status', '']],
      run: async (call) => (await load()).metadataHistoryCommand(call),
    },
    {
      name: 'query',
      summary: 'find pages by their metadata',
      about:
        'A filter is key=value, key!=value, key<value, key<=value, key>value, key>=value, key~value (an array that holds it), key (it is there) or !key (it is not). All are met.',
      connects: true,
      arguments: [{ name: 'filter', summary: 'what the pages have', many: true, optional: true }],
      options: {
        filters: { value: 'json', summary: 'filters as the API takes them, for keys with such signs' },
        space: { value: 'slug', summary: 'only in this space', names: 'space' },
        'order-by': { value: 'key', summary: 'rank by this key' },
        desc: { summary: 'the greatest first' },
        metadata: { summary: 'print their metadata, too' },
        ...LIST_OPTIONS,
      },
      examples: [
        ["meta query status=review 'due<2026-04-01' --order-by due", 'what is due'],
        ["meta query tags~howto '!owner' --space docs", 'without an owner'],
      ],
      run: async (call) => (await load()).queryCommand(call),
    },
    {
      name: 'keys',
      summary: 'list the keys in use, the most used first',
      connects: true,
      options: {
        space: { value: 'slug', summary: 'only in this space', names: 'space' },
        prefix: { value: 'text', summary: 'only keys that begin so' },
        ...LIST_OPTIONS,
      },
      examples: [['meta keys --space docs', '']],
      run: async (call) => (await load()).metadataKeysCommand(call),
    },
  ],
}

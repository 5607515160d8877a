import { operationCommand } from '../operation-command.ts'
import { pageIn } from '../pages/page-name.ts'
import { type CommandSpec, JSON_OPTION, LIST_OPTIONS, PAGE } from '../spec.ts'
import { FILTER_SYNTAX } from './filter-syntax.ts'

const KEY_VALUES = {
  name: 'key=value',
  summary: 'the value is read as JSON (`3`, `true`, `["a"]`) if it is JSON, else as text',
  many: true,
}
const TEXT = { text: { summary: 'read every value as text' } } as const
const load = () => import('./metadata.ts')

export const metadataCommands: CommandSpec = {
  name: 'meta',
  summary: 'read, change and query the metadata of pages',
  commands: [
    {
      name: 'get',
      summary: 'print the metadata of a page, or the value of one key',
      arguments: [PAGE, { name: 'key', summary: 'print only its value: strings unquoted, else JSON', optional: true }],
      options: JSON_OPTION,
      examples: [
        ['meta get docs/guide/start', 'all keys'],
        ['meta get docs/guide/start status', 'one value, for scripts'],
      ],
      run: async (call) => (await load()).getMetadataCommand(call),
    },
    {
      name: 'set',
      summary: 'set keys',
      arguments: [PAGE, KEY_VALUES],
      options: { ...TEXT, ...JSON_OPTION },
      examples: [['meta set docs/guide/start status=review due=2026-03-01 priority=2', 'set three keys']],
      run: async (call) => (await load()).patchCommand(call, 'set'),
    },
    {
      name: 'append',
      summary: 'add elements to arrays',
      arguments: [PAGE, KEY_VALUES],
      options: { ...TEXT, ...JSON_OPTION },
      examples: [['meta append docs/log seen=2026-03-01', 'add an element']],
      run: async (call) => (await load()).patchCommand(call, 'append'),
    },
    {
      name: 'append-unique',
      summary: 'add elements to arrays unless they contain them',
      arguments: [PAGE, KEY_VALUES],
      options: { ...TEXT, ...JSON_OPTION },
      examples: [['meta append-unique docs/guide/start tags=howto tags=new', 'idempotent']],
      run: async (call) => (await load()).patchCommand(call, 'appendUnique'),
    },
    {
      name: 'unset',
      summary: 'delete keys',
      arguments: [PAGE, { name: 'key', summary: 'keys to delete', many: true }],
      options: JSON_OPTION,
      examples: [['meta unset docs/guide/start due', '']],
      run: async (call) => (await load()).unsetCommand(call),
    },
    operationCommand('history', 'list changes of metadata, newest first', 'metadata.history', {
      arguments: [PAGE],
      options: { key: { value: 'key', summary: 'limit to this key' } },
      examples: [['meta history docs/guide/start --key status']],
      values: ({ key }, call) => ({ ...pageIn(call), key }),
      none: 'No changes of metadata.',
      columns: {
        AT: 'createdAt',
        BY: 'actor…',
        KEY: 'key…',
        OP: 'op',
        VALUE: [({ value, op }) => (op === 'delete' ? '' : JSON.stringify(value)), true],
        BEFORE: [({ previousValue, existed }) => (existed ? JSON.stringify(previousValue) : ''), true],
      },
    }),
    {
      name: 'query',
      summary: 'find pages by their metadata',
      about: FILTER_SYNTAX,
      arguments: [{ name: 'filter', summary: 'a condition on a metadata key', many: true, optional: true }],
      options: {
        filters: { value: 'json', summary: 'filters as a JSON array as in the API, for keys that contain operators' },
        space: { value: 'slug', summary: 'limit to this space', names: 'space' },
        'order-by': {
          value: 'key',
          many: true,
          summary: "sort by this key or field, and then by others: '$updatedAt desc'",
        },
        desc: { summary: 'sort in descending order' },
        'time-zone': { value: 'zone', summary: 'the IANA time zone that decides which day is today' },
        'no-templates': { summary: 'leave page templates out' },
        metadata: { summary: 'include the metadata' },
        ...LIST_OPTIONS,
      },
      examples: [
        ["meta query status=review 'due<2026-04-01' --order-by due", 'pages due before April'],
        ["meta query tags~howto '!owner' --space docs", 'pages without an owner'],
        [
          "meta query '$updatedAt<today-180d' '$path^=guide/' --order-by '$updatedAt'",
          'guides that nobody has changed for long',
        ],
      ],
      run: async (call) => (await load()).queryCommand(call),
    },
    operationCommand('keys', 'list the keys in use, most used first', 'metadata.keys', {
      options: {
        space: { value: 'slug', summary: 'limit to this space', names: 'space' },
        prefix: { value: 'text', summary: 'limit to keys with this prefix' },
      },
      examples: [['meta keys --space docs']],
      none: 'No keys.',
      columns: {
        KEY: 'key…',
        PAGES: ['pageCount', 'right'],
        TYPES: ({ valueTypes }) => valueTypes.join(', '),
        CHANGED: 'lastUpdatedAt',
      },
    }),
    operationCommand('values', 'list the values of a key', 'metadata.values', {
      arguments: [{ name: 'key', summary: 'metadata key' }],
      options: { space: { value: 'slug', summary: 'limit to this space', names: 'space' } },
      examples: [['meta values status --space docs']],
      none: 'No values.',
      columns: {
        VALUE: ({ value }) => JSON.stringify(value),
        PAGES: ({ pageCount, isComplete }) => `${pageCount}${isComplete ? '' : '+'}`,
      },
    }),
  ],
}

import { counted } from '@recto/lib/text/counted.ts'
import { operationCommand } from '../operation-command.ts'
import { type CommandSpec, JSON_OPTION, SPACE } from '../spec.ts'
import { readRequest, readResolved } from './request-name.ts'

const NUMBER = { name: 'number', summary: 'number of the change request in its space' }
const REQUEST = [SPACE, NUMBER]
const ETAG = { 'if-match': { value: 'tag', summary: 'fail unless the change request has this ETag' } } as const

/** Commands for change requests: sets of changes of a space that are not made yet. */
export const changeRequestCommands: CommandSpec = {
  name: 'cr',
  summary: 'list, read, approve and merge change requests',
  commands: [
    operationCommand<'changeRequests.list' | 'changeRequests.listAll'>(
      'ls',
      'list change requests, latest change first',
      ({ optional }) => (optional('space') === undefined ? 'changeRequests.listAll' : 'changeRequests.list'),
      {
        arguments: [{ ...SPACE, optional: true }],
        options: {
          state: { value: 'state', choices: ['open', 'merged', 'closed'], summary: 'only those in this state' },
          author: { value: 'id', summary: 'only those of this principal; `me` is you' },
        },
        examples: [['cr ls docs --state open'], ['cr ls --author me', 'of all spaces']],
        none: 'No change requests.',
        columns: {
          REQUEST: ({ space, number }) => `${space} ${number}`,
          STATE: 'state',
          TITLE: 'title…',
          AUTHOR: 'author',
          PAGES: ['changes', 'right'],
          CHANGED: 'updatedAt',
        },
      },
    ),
    {
      name: 'show',
      summary: 'show a change request with its pages and conflicts',
      arguments: REQUEST,
      options: {
        patch: { short: 'p', summary: 'print its changes of texts as a patch that `git apply` takes' },
        ...JSON_OPTION,
      },
      examples: [
        ['cr show docs 12', ''],
        ['cr show docs 12 --patch > 12.patch', 'for a folder of the space in git'],
      ],
      run: async (call) => (await import('./show.ts')).showCommand(call),
    },
    {
      name: 'diff',
      summary: 'show what a change request changes, in the unified format',
      arguments: [...REQUEST, { name: 'path', summary: 'only this page', optional: true }],
      examples: [['cr diff docs 12 guide/start', '']],
      run: async (call) => (await import('./show.ts')).diffCommand(call),
    },
    operationCommand('approve', 'approve the changes of a change request', 'changeRequests.review', {
      arguments: REQUEST,
      options: { ...ETAG, note: { value: 'text', short: 'm', summary: 'what you have to say about it' } },
      examples: [['cr approve docs 12 -m "Well done"']],
      values: async ({ note = '' }, call) => ({ ...(await readRequest(call)), verdict: 'approve', body: note }),
      text: ({ mergeable }) => `Approved. ${mergeable ? 'It can be merged.' : 'It cannot be merged yet.'}`,
    }),
    operationCommand('merge', 'make the changes of a change request, all or none', 'changeRequests.merge', {
      arguments: REQUEST,
      options: {
        path: { value: 'path', many: true, summary: 'only the change of this page; the others stay open' },
        ...ETAG,
        note: { value: 'text', short: 'm', summary: 'message of revisions whose drafts have none' },
      },
      examples: [['cr merge docs 12 --path guide/start']],
      values: async ({ path, note }, call) => ({ ...(await readRequest(call)), paths: path, note }),
      text: ({ merged, state }) => {
        const lines = merged.map(({ path, kind, version }) => `  ${path} (${kind}), version ${version}`)
        return [`Merged ${counted(merged.length, 'page')}; the change request is ${state}.`, ...lines].join('\n')
      },
    }),
    operationCommand(
      'update',
      'merge the present versions of pages into the drafts of a change request',
      'changeRequests.updateDrafts',
      {
        arguments: REQUEST,
        options: {
          path: { value: 'path', many: true, summary: 'only the draft of this page' },
          resolved: {
            value: 'path@version',
            many: true,
            summary: 'a draft that has what it needs of this version of its page: it stays as it is',
          },
          ...ETAG,
        },
        examples: [['cr update docs 12 --resolved guide/start@7']],
        values: async ({ path }, call) => ({ resolved: readResolved(call), ...(await readRequest(call)), paths: path }),
        text: ({ conflicts }) =>
          'The drafts are based on the present versions of their pages' +
          `${conflicts.length > 0 ? ', and others have conflicts' : ''}.`,
      },
    ),
    operationCommand('close', 'close a change request without merging it', 'changeRequests.close', {
      arguments: REQUEST,
      examples: [['cr close docs 12']],
      text: ({ space, number }) => `Closed the change request ${space} ${number}.`,
    }),
  ],
}

import type { Result } from '@recto/client/transport/operation-types.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import { operationCommand } from '../operation-command.ts'
import { pageIn } from '../pages/page-name.ts'
import { type CommandSpec, PAGE } from '../spec.ts'

const THREAD = { name: 'id', summary: 'id of the thread' }
const BODY = { name: 'text', summary: 'Markdown' }

const threadText = ({ id, state, comments }: Result<'threads.get', 200>) =>
  [`${id} (${state})`, ...comments.map(({ author, body }) => `${author.name}: ${body}`)].join('\n')

/** Commands for the threads of comments on a page. */
export const commentCommands: CommandSpec = {
  name: 'comments',
  summary: 'list, write and resolve comments on a page',
  commands: [
    operationCommand('ls', 'list the threads of comments on a page', 'threads.list', {
      arguments: [PAGE],
      options: { state: { value: 'state', choices: ['open', 'resolved'], summary: 'only those in this state' } },
      values: ({ state }, call) => ({ ...pageIn(call), state }),
      examples: [['comments ls docs/guide/start --state open']],
      none: 'Nobody has commented.',
      columns: {
        ID: 'id',
        STATE: 'state',
        LINE: [({ place, outdated }) => place?.startLine ?? (outdated ? 'outdated' : '-'), 'right'],
        BY: ({ author }) => actorText(author),
        COMMENTS: [({ comments }) => comments.length, 'right'],
        TEXT: [({ comments }) => comments[0]?.body, true],
      },
    }),
    operationCommand('show', 'show a thread with its comments', 'threads.get', {
      arguments: [THREAD],
      examples: [['comments show 0196f3f0-...']],
      text: threadText,
    }),
    operationCommand('add', 'comment on a page, or on a passage of it', 'threads.create', {
      arguments: [PAGE, BODY],
      options: {
        quote: { value: 'text', summary: 'the passage, as it is written in the page' },
        prefix: { value: 'text', summary: 'what stands directly before the passage' },
        suffix: { value: 'text', summary: 'what stands directly after the passage' },
      },
      values: ({ text, quote: exact, prefix, suffix }, call) => ({
        ...pageIn(call),
        body: text,
        ...(exact !== undefined && {
          quote: { exact, ...(prefix !== undefined && { prefix }), ...(suffix !== undefined && { suffix }) },
        }),
      }),
      examples: [['comments add docs/guide/start "Which one?" --quote "colour and colour"']],
      text: threadText,
    }),
    operationCommand('reply', 'reply to a thread', 'threads.reply', {
      arguments: [THREAD, BODY],
      values: ({ id, text }) => ({ id, body: text }),
      examples: [['comments reply 0196f3f0-... "8080."']],
      text: threadText,
    }),
    operationCommand('resolve', 'resolve a thread', 'threads.resolve', {
      arguments: [THREAD],
      examples: [['comments resolve 0196f3f0-...']],
      text: threadText,
    }),
    operationCommand('reopen', 'open a resolved thread again', 'threads.reopen', {
      arguments: [THREAD],
      examples: [['comments reopen 0196f3f0-...']],
      text: threadText,
    }),
    operationCommand('rm', 'delete a comment', 'comments.delete', {
      arguments: [{ name: 'id', summary: 'id of the comment' }],
      examples: [['comments rm 0196f3f0-...']],
      text: () => 'Deleted the comment.',
    }),
  ],
}

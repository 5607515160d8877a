import { type CommandSpec, JSON_OPTION, LIST_OPTIONS } from './spec.ts'

const ID = { name: 'id', summary: 'id of the webhook, as `recto webhooks list` tells it' }
const EVENT = {
  event: { value: 'kind', many: true, summary: 'what to send, such as page.updated; all kinds when absent' },
} as const
const load = () => import('./webhooks.ts')

/** Webhooks. */
export const webhookCommands: CommandSpec = {
  name: 'webhooks',
  summary: 'manage webhooks and look at their deliveries; for organisation admins',
  commands: [
    {
      name: 'list',
      summary: 'list webhooks',
      connects: true,
      options: LIST_OPTIONS,
      examples: [['webhooks list', '']],
      run: async (call) => (await load()).listWebhooksCommand(call),
    },
    {
      name: 'create',
      summary: 'make a webhook, and print its secret this once',
      connects: true,
      arguments: [{ name: 'url', summary: 'where deliveries are posted' }],
      options: {
        ...EVENT,
        space: { value: 'slug', summary: 'only events of this space', names: 'space' },
        description: { value: 'text', summary: 'what it is for' },
        ...JSON_OPTION,
      },
      examples: [['webhooks create https://hooks.example.org/recto --event page.created --space docs', '']],
      run: async (call) => (await load()).createWebhookCommand(call),
    },
    {
      name: 'show',
      summary: 'tell about a webhook',
      connects: true,
      arguments: [ID],
      options: JSON_OPTION,
      examples: [['webhooks show 0196f3f0-...', '']],
      run: async (call) => (await load()).showWebhookCommand(call),
    },
    {
      name: 'update',
      summary: 'change a webhook',
      connects: true,
      arguments: [ID],
      options: {
        url: { value: 'url', summary: 'where deliveries are posted' },
        ...EVENT,
        space: { value: 'slug', summary: 'only events of this space; empty: of all', names: 'space' },
        description: { value: 'text', summary: 'what it is for' },
        enable: { summary: 'send again' },
        disable: { summary: 'send nothing' },
        ...JSON_OPTION,
      },
      examples: [['webhooks update 0196f3f0-... --enable', '']],
      run: async (call) => (await load()).updateWebhookCommand(call),
    },
    {
      name: 'delete',
      summary: 'remove a webhook',
      connects: true,
      arguments: [ID],
      examples: [['webhooks delete 0196f3f0-...', '']],
      run: async (call) => (await load()).deleteWebhookCommand(call),
    },
    {
      name: 'test',
      summary: 'send a delivery now, and tell what came of it',
      connects: true,
      arguments: [ID],
      options: JSON_OPTION,
      examples: [['webhooks test 0196f3f0-...', '']],
      exits: '1 when it was not delivered.',
      run: async (call) => (await load()).testWebhookCommand(call),
    },
    {
      name: 'rotate',
      summary: 'make a new secret, and print it this once',
      connects: true,
      arguments: [ID],
      options: {
        grace: { value: 'seconds', summary: 'so long the old one signs as well (a day unless told)' },
        ...JSON_OPTION,
      },
      examples: [['webhooks rotate 0196f3f0-... --grace 0', 'the old one leaked']],
      run: async (call) => (await load()).rotateWebhookCommand(call),
    },
    {
      name: 'deliveries',
      summary: 'list deliveries, the latest first',
      connects: true,
      arguments: [ID],
      options: {
        status: {
          value: 'status',
          choices: ['pending', 'succeeded', 'failed', 'blocked'],
          summary: 'only such',
        },
        event: { value: 'kind', summary: 'only of this kind' },
        ...LIST_OPTIONS,
      },
      examples: [['webhooks deliveries 0196f3f0-... --status failed', '']],
      run: async (call) => (await load()).deliveriesCommand(call),
    },
    {
      name: 'redeliver',
      summary: 'send a delivery again, as a new one',
      connects: true,
      arguments: [ID, { name: 'delivery', summary: 'id of the delivery' }],
      options: JSON_OPTION,
      examples: [['webhooks redeliver 0196f3f0-... 0196f3f1-...', '']],
      run: async (call) => (await load()).redeliverCommand(call),
    },
  ],
}

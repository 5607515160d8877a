import type { Delivery, NewWebhook, WebhookWithSecret } from '../../client/types.ts'
import { requireChange } from '../access/keys.ts'
import type { CommandCall } from '../call.ts'
import { EXIT, UsageError } from '../command.ts'
import { clientOf } from '../connection.ts'
import { printJson, printList, printObject, shown } from '../print.ts'
import { oneLine, timeText } from '../table.ts'

/** `recto webhooks list` */
export async function listWebhooksCommand(call: CommandCall): Promise<number> {
  await printList(
    call,
    clientOf(call.terminal).webhooks.list(),
    [
      { title: 'ID', of: ({ id }) => id },
      { title: 'URL', of: ({ url }) => url, cut: true },
      { title: 'EVENTS', of: ({ events }) => events.join(', '), cut: true },
      { title: 'SPACE', of: ({ spaceSlug }) => spaceSlug ?? 'all shared' },
      {
        title: 'STATE',
        of: ({ enabled, disabledReason }) => (enabled ? 'enabled' : (disabledReason ?? 'disabled')),
      },
    ],
    'No webhooks.',
  )
  return EXIT.done
}

/** `recto webhooks create` */
export async function createWebhookCommand(call: CommandCall): Promise<number> {
  const [spaceSlug, description] = [call.option('space'), call.option('description')]
  const made = await clientOf(call.terminal).webhooks.create({
    url: call.arg('url'),
    events: events(call) ?? ['*'],
    ...(spaceSlug !== undefined && { spaceSlug }),
    ...(description !== undefined && { description }),
  })
  printSecret(call, made)
  return EXIT.done
}

/** `recto webhooks show` */
export async function showWebhookCommand(call: CommandCall): Promise<number> {
  printObject(call, await clientOf(call.terminal).webhooks.get(call.arg('id')))
  return EXIT.done
}

/** `recto webhooks update` */
export async function updateWebhookCommand(call: CommandCall): Promise<number> {
  if (call.flag('enable') && call.flag('disable'))
    throw new UsageError('--enable cannot be combined with --disable')
  const [url, space, description, kinds] = [
    call.option('url'),
    call.option('space'),
    call.option('description'),
    events(call),
  ]
  const change = requireChange({
    ...(url !== undefined && { url }),
    ...(kinds && { events: kinds }),
    ...(space !== undefined && { spaceSlug: space === '' ? null : space }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(call.flag('enable') && { enabled: true }),
    ...(call.flag('disable') && { enabled: false }),
  })
  printObject(call, await clientOf(call.terminal).webhooks.update(call.arg('id'), change))
  return EXIT.done
}

/** `recto webhooks delete` */
export async function deleteWebhookCommand(call: CommandCall): Promise<number> {
  await clientOf(call.terminal).webhooks.delete(call.arg('id'))
  call.terminal.out(`Deleted ${call.arg('id')}.\n`)
  return EXIT.done
}

/** `recto webhooks test` */
export async function testWebhookCommand(call: CommandCall): Promise<number> {
  const result = await clientOf(call.terminal).webhooks.test(call.arg('id'))
  if (call.flag('json')) printJson(call, result)
  else call.terminal.out(`${result.delivered ? 'Delivered' : 'Not delivered'}: ${outcome(result.delivery)}\n`)
  return result.delivered ? EXIT.done : EXIT.partial
}

/** `recto webhooks rotate` */
export async function rotateWebhookCommand(call: CommandCall): Promise<number> {
  const graceSeconds = call.number('grace', 0)
  printSecret(call, await clientOf(call.terminal).webhooks.rotateSecret(call.arg('id'), { graceSeconds }))
  return EXIT.done
}

/** `recto webhooks deliveries` */
export async function deliveriesCommand(call: CommandCall): Promise<number> {
  const status = call.option('status') as Delivery['status'] | undefined // one of the choices
  const event = call.option('event') as NewWebhook['events'][number] | undefined // validated by the service
  const list = clientOf(call.terminal).webhooks.deliveries.list(call.arg('id'), {
    ...(status !== undefined && { status }),
    ...(event !== undefined && event !== '*' && { event }),
  })
  await printList(
    call,
    list,
    [
      { title: 'ID', of: ({ id }) => id },
      { title: 'AT', of: ({ createdAt }) => timeText(createdAt) },
      { title: 'EVENT', of: ({ event }) => event },
      { title: 'STATUS', of: ({ status }) => status },
      { title: 'ATTEMPTS', of: ({ attempts }) => attempts.length, right: true },
      { title: 'LAST', of: outcome, cut: true },
      { title: 'NEXT', of: ({ nextAttemptAt }) => timeText(nextAttemptAt) },
    ],
    'Nothing was delivered in 30 days.',
  )
  return EXIT.done
}

/** `recto webhooks redeliver` */
export async function redeliverCommand(call: CommandCall): Promise<number> {
  const delivery = await clientOf(call.terminal).webhooks.deliveries.redeliver(
    call.arg('id'),
    call.arg('delivery'),
  )
  if (call.flag('json')) printJson(call, delivery)
  else call.terminal.out(`It is sent again, as ${delivery.id}.\n`)
  return EXIT.done
}

function events(call: CommandCall): NewWebhook['events'] | undefined {
  const kinds = call.list('event')
  // The service validates the kinds.
  return kinds.length === 0 ? undefined : (kinds as NewWebhook['events'])
}

/** Result of the last attempt. */
function outcome({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  if (!last) return 'no attempt yet'
  return oneLine(last.error ?? `${shown(last.responseStatus)} after ${last.durationMs} ms`)
}

/** Prints only the secret on standard output, for scripts. */
function printSecret(call: CommandCall, made: WebhookWithSecret): void {
  if (call.flag('json')) {
    printJson(call, made)
    return
  }
  call.terminal.err(`The secret of webhook ${made.webhook.id}. Copy it now; it is not shown again:\n`)
  call.terminal.out(`${made.secret}\n`)
}

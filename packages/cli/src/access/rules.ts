import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { type CommandCall, CommandError, UsageError } from '../command.ts'
import { openOperations } from '../connection.ts'
import { printResult } from '../print.ts'
import { oneLine } from '../table.ts'
import { findCandidate } from './candidates.ts'

type EntryId = { readonly principal: string } | { readonly group: string }
/** Some principals by name, and how many there are. */
interface Some {
  readonly count: number
  readonly principals: readonly { readonly name: string }[]
}

const GROUP = 'group:'

/** `recto spaces set-rule`. */
export async function setRule(call: CommandCall): Promise<void> {
  const body = {
    read: await findEntries(call, 'read'),
    write: await findEntries(call, 'write'),
    guests: await Promise.all(call.list('guest').map((guest) => findGuest(call, guest))),
  }
  const dryRun = call.flag('dry-run')
  const { rules } = openOperations(call.terminal).spaces
  const rule = await rules.set(call.arg('space'), call.arg('folder'), body, { dryRun })
  const first = `${dryRun ? 'Would set' : 'Set'} the rule of ${oneLine(rule.prefix)}.`
  printResult(call, rule, [first, ...listReaders(rule.readers, dryRun)].join('\n'))
}

/** `recto spaces remove-rule`. */
export async function removeRule(call: CommandCall): Promise<void> {
  const dryRun = call.flag('dry-run')
  const { rules } = openOperations(call.terminal).spaces
  // Absent if the response was lost, and the rule was gone at the retry.
  const removal: Partial<Awaited<ReturnType<typeof rules.remove>>> | undefined = await rules.remove(
    call.arg('space'),
    call.arg('folder'),
    { dryRun },
  )
  const first = `${dryRun ? 'Would remove' : 'Removed'} the rule of ${call.arg('folder')}.`
  const lines = removal?.readers ? listReaders(removal.readers, dryRun) : []
  printResult(call, removal ?? {}, [first, ...lines].join('\n'))
}

function listReaders(
  { gains, loses, revisions }: { readonly gains: Some; readonly loses: Some; readonly revisions: number },
  dryRun: boolean,
): string[] {
  const names = ({ count, principals }: Some) => {
    const rest = count - principals.length
    return `${principals.map(({ name }) => oneLine(name)).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  }
  const [gain, lose] = dryRun ? ['would gain', 'would lose'] : ['gained', 'lost']
  return [
    ...(gains.count > 0
      ? [`${gains.count} ${gain} reading, of ${counted(revisions, 'version')}: ${names(gains)}`]
      : []),
    ...(loses.count > 0 ? [`${loses.count} ${lose} reading: ${names(loses)}`] : []),
    ...(gains.count + loses.count === 0 ? [`Nobody ${gain} or ${lose} reading.`] : []),
  ]
}

/** The list that an option names: the word `inherit` or `none`, or principals and groups. */
async function findEntries(call: CommandCall, option: 'read' | 'write'): Promise<'inherit' | EntryId[]> {
  const names = call.list(option)
  const [word] = names.filter((name) => name === 'inherit' || name === 'none')
  if (word === undefined) return Promise.all(names.map((name) => findOne(call, name)))
  if (names.length > 1) throw new UsageError(`--${option} ${word} cannot be combined with others`)
  return word === 'inherit' ? word : []
}

async function findOne(call: CommandCall, name: string): Promise<EntryId> {
  if (name.startsWith(GROUP)) return { group: await findGroup(call, name.slice(GROUP.length)) }
  return { principal: await findCandidate(call, () => true, name) }
}

async function findGuest(call: CommandCall, text: string) {
  const role = text.endsWith(':editor') ? ('editor' as const) : ('viewer' as const)
  const name = text.replace(/:(viewer|editor)$/, '')
  return { principal: await findCandidate(call, () => true, name), role }
}

/** The id of a group by its whole name: one with a role in the space, or for organisation admins any. */
async function findGroup(call: CommandCall, name: string): Promise<string> {
  if (isUuid(name)) return name
  const { spaces, groups } = openOperations(call.terminal)
  const isMeant = (group: { readonly name: string }) => group.name.toLowerCase() === name.trim().toLowerCase()
  const inSpace = (await spaces.groups.list(call.arg('space')).toArray()).map(({ group }) => group).find(isMeant)
  if (inSpace) return inSpace.id
  const group = (await groups.list({ name }).toArray()).find(isMeant)
  if (group) return group.id
  throw new CommandError(`There is no group called ${name}: give the whole name or the id.`)
}

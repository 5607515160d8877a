import type { Candidate } from '@recto/client/types.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { type CommandCall, CommandError } from '../command.ts'
import { openOperations } from '../connection.ts'

/** The id of the principal that the command names by id, name or e-mail address; lists others if there is none. */
export async function findCandidate(
  call: CommandCall,
  fits: (candidate: Candidate) => boolean,
  principalName = call.arg('principal'),
): Promise<string> {
  if (isUuid(principalName)) return principalName
  const { members } = openOperations(call.terminal).spaces
  const candidates = (await members.candidates(call.arg('space'), principalName).toArray()).filter(fits)
  const isMeant = ({ principal: { name }, match }: Candidate) =>
    principalName.includes('@') ? match === 'email' : name.toLowerCase() === principalName.trim().toLowerCase()
  const [one, ...more] = candidates.filter(isMeant)
  if (one && more.length === 0) return one.principal.id
  if (candidates.length === 0)
    throw new CommandError(
      `There is nobody called ${principalName}: give the whole name, the e-mail address or the id.`,
    )
  const lines = candidates.map(({ principal: { id, name, kind } }) => `  ${id}  ${name} (${kind})`)
  const problem = one ? 'is the name of several' : 'is nobody’s whole name or address'
  throw new CommandError(`${principalName} ${problem}: give the id of one of these.\n${lines.join('\n')}`)
}

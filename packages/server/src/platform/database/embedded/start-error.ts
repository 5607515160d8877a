/** A reason not to start that an operator must read: the message is for them, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The database is one of an older major version of PostgreSQL than the programs. */
export class OlderDatabaseError extends StartError {
  readonly from: number
  readonly to: number

  constructor(cluster: string, from: number, to: number) {
    super(`The database in ${cluster} is one of PostgreSQL ${from}, and the programs are those of ${to}.`)
    this.from = from
    this.to = to
  }
}

/** A damaged database, with the places of the damage: it is not backed up. */
export function damageError(places: string): StartError {
  return new StartError(
    `The database is damaged, and was not backed up: ${places}. ` +
      `Keep the backups that you have, and restore one of them.`,
  )
}

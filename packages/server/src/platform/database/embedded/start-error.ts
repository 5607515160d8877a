/** A reason not to start that an operator must read: the message is for them, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

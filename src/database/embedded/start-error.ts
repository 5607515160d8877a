/** A reason not to start that a person must read: the message is for them, the stack is not. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

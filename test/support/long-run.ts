const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a long test by hand to its end; it returns whether all was well. Whatever ends it earlier is told: an error at
 * once, before anything waits for what the error has left behind; a signal; or that nothing keeps the process running.
 */
export async function runToEnd(work: (tell: <T>(part: Promise<T>) => Promise<T>) => Promise<boolean>): Promise<void> {
  let isOver = false
  const print = (line: string) => process.stderr.write(`ENDED EARLY: ${line}\n`)
  process.once('exit', (code) => {
    if (!isOver)
      print(code === 13 ? 'nothing runs any more that could settle what it waits for (exit code 13)' : `${code}`)
  })
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      print(signal)
      isOver = true
      process.exit(1)
    })
  }
  const tell = async <T>(part: Promise<T>): Promise<T> =>
    part.catch((error) => {
      print(error instanceof Error ? (error.stack ?? error.message) : String(error))
      throw error
    })
  process.exitCode = (await work(tell)) ? 0 : 1
  isOver = true
}

import type { TellOwner } from '../keys/api-keys.ts'
import type { Mailer } from './mail.ts'
import { nameInMail } from './mail-texts.ts'

/** Tells people by mail that somebody else made a key for them. No response waits for it. */
export function tellOwnersBy(mailer: Mailer | undefined): TellOwner {
  return (to, key) => {
    const [name, by] = [nameInMail(key.name), nameInMail(key.by)]
    void mailer?.send({
      to,
      subject: 'A key was made for your account at Recto',
      text: `${by} made the API key “${name}” for your account at Recto. Whoever has it can do what you may do, within its limits, but
never reads your personal space.

It is in the list of keys of your account, where you can revoke it. If you did not expect this, do that, and ask ${by}.
`,
    })
  }
}

let armed: string | undefined
let hitsLeft = 0

/** Makes this process die when it reaches the named point for the n-th time; only tests of crashes do that. */
export function armFailpoint(name: string, hit = 1): void {
  armed = name
  hitsLeft = hit
}

/** A step at which a crash must lose nothing: ends this process with SIGKILL at once when it is armed. */
export function failpoint(name: string): void {
  if (name !== armed) return
  hitsLeft -= 1
  if (hitsLeft === 0) process.kill(process.pid, 'SIGKILL')
}

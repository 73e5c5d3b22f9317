let armed: string | undefined
let hitsLeft = 0

/** Kills this process when it reaches a failpoint for the n-th time; for crash tests. */
export function armFailpoint(name: string, hit = 1): void {
  armed = name
  hitsLeft = hit
}

/** Marks a step where a crash must lose nothing; kills this process with SIGKILL if it is armed. */
export function failpoint(name: string): void {
  if (name !== armed) return
  hitsLeft -= 1
  if (hitsLeft === 0) process.kill(process.pid, 'SIGKILL')
}

import { spawn } from 'node:child_process'

/** An error that the user can fix; printed without a stack. */
export class SetupError extends Error {}

/** Prints a line of progress on stderr. */
export function say(line) {
  console.error(`reelwright: ${line}`)
}

/** Runs a program that uses the terminal until it exits. Returns its exit code. */
export function inForeground(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', ...options })
    const forward = (signal) => child.kill(signal)
    process.on('SIGINT', forward).on('SIGTERM', forward)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('SIGINT', forward).off('SIGTERM', forward)
      resolve(signal ? 130 : (code ?? 1))
    })
  })
}

/** Runs a program silently. Returns its exit code and its output. */
export function inBackground(program, args, options) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 1, output: String(error) }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

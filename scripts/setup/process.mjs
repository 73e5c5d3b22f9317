import { spawn } from 'node:child_process'

/** Something the person at the keyboard can mend; shown without a stack. */
export class SetupError extends Error {}

/** One line about what the set-up is doing. */
export function say(line) {
  console.error(`reelwright: ${line}`)
}

/** Runs a program that owns the terminal until it ends; answers its exit code. */
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

/** Runs a program silently; answers its exit code and all it printed. */
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

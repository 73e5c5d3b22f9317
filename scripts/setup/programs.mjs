import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { findProgram } from './find.mjs'
import { inForeground, say, SetupError } from './process.mjs'

/** What is needed beside Node: its programs (of a list any one will do), and its name for each package manager. */
const catalogue = {
  ffmpeg: {
    programs: ['ffmpeg', 'ffprobe'],
    packages: {
      'apt-get': 'ffmpeg',
      dnf: 'ffmpeg-free',
      pacman: 'ffmpeg',
      apk: 'ffmpeg',
      brew: 'ffmpeg',
      winget: 'Gyan.FFmpeg',
      scoop: 'ffmpeg',
    },
  },
  postgresql: {
    programs: ['initdb', 'postgres'],
    packages: {
      'apt-get': 'postgresql',
      dnf: 'postgresql-server',
      pacman: 'postgresql',
      apk: 'postgresql',
      brew: 'postgresql@17',
      scoop: 'postgresql',
    },
  },
  chromium: {
    programs: [
      [
        ...['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell', 'chromium'],
        ...['chromium-browser', 'google-chrome', 'google-chrome-stable', 'Google Chrome', 'chrome', 'msedge'],
      ],
    ],
    packages: {
      'apt-get': 'chromium-headless-shell',
      dnf: 'chromium-headless',
      pacman: 'chromium',
      apk: 'chromium',
      brew: 'google-chrome',
      winget: 'Google.Chrome',
    },
  },
}

/** How each package manager installs; in the order in which they are preferred. */
const managers = {
  brew: (name) => [['brew', 'install', name]],
  'apt-get': (name) => [
    ['apt-get', '-q', 'update'],
    ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', name],
  ],
  dnf: (name) => [['dnf', 'install', '-y', name]],
  pacman: (name) => [['pacman', '-S', '--noconfirm', name]],
  apk: (name) => [['apk', 'add', name]],
  winget: (name) => [['winget', 'install', '--exact', '--id', name]],
  scoop: (name) => [['scoop', 'install', name]],
}

const isRoot = process.getuid?.() === 0

/** Finds each named thing or brings it, and answers the folders its programs are in. */
export async function ensurePrograms(names, { required }) {
  const folders = []
  for (const name of names) {
    const { programs } = catalogue[name]
    const missing = () => programs.map((one) => [one].flat()).filter((any) => !any.some(findProgram))
    if (missing().length > 0) await bring(name, { missing: missing(), required })
    folders.push(...programs.flat().map(findProgram).filter(Boolean).map(dirname))
  }
  return [...new Set(folders)]
}

async function bring(name, { missing, required }) {
  const steps = installSteps(name)
  const commands = steps.map((step) => step.join(' ')).join(' && ')
  const lacking = missing.map(([first]) => first)
  const told = `${name} is missing (no ${lacking.join(', no ')} on PATH). Install it with:\n\n  ${
    commands || `the installer of ${name} for your system, so that ${lacking.join(' and ')} are on PATH`
  }\n`
  if (commands && (await mayInstall(`${told}\nRun this now? [y/N] `))) {
    say(commands)
    for (const [program, ...args] of steps) {
      const found = findProgram(program)
      const code = await inForeground(found, args, {
        env: { DEBIAN_FRONTEND: 'noninteractive', ...process.env },
      })
      if (code !== 0) break
    }
    if (missing.every((any) => any.some(findProgram))) return
  }
  if (required) throw new SetupError(`${told}\nThen run this again.`)
  say(`${told}\nGoing on without it; what needs it is skipped.`)
}

function installSteps(name) {
  const { packages } = catalogue[name]
  const manager = Object.keys(managers).find((candidate) => packages[candidate] && findProgram(candidate))
  if (!manager) return []
  const byRoot = process.platform === 'linux' && manager !== 'brew' && !isRoot
  return managers[manager](packages[manager]).map((step) => (byRoot ? ['sudo', ...step] : step))
}

/** By itself in CI and for root in a container; else only after a yes; never with REELWRIGHT_SETUP=no. */
async function mayInstall(question) {
  if (process.env.REELWRIGHT_SETUP === 'no') return false
  if (process.env.CI && process.env.CI !== 'false') return true
  if (isRoot && inContainer()) return true
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(question)
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

function inContainer() {
  if (process.env.container || existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return true
  try {
    return /docker|containerd|kubepods|lxc/.test(readFileSync('/proc/1/cgroup', 'utf8'))
  } catch {
    return false
  }
}

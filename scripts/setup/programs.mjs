import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { findProgram } from './find.mjs'
import { inForeground, say, SetupError } from './process.mjs'

/** What is needed beside Node: its programs (of a list any one will do), and its packages for each package manager. */
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
  // One with a screen's parts, as people have it: it draws by itself, where the headless shell draws on command.
  'a whole Chromium': {
    programs: [['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']],
    packages: {
      'apt-get': 'chromium',
      dnf: 'chromium',
      pacman: 'chromium',
      apk: 'chromium',
    },
  },
  'a Japanese font': {
    programs: ['fc-list'],
    // The language whose characters some font must have, as fc-list tells.
    language: 'ja',
    // Of fonts, small ones.
    packages: {
      'apt-get': 'fontconfig fonts-droid-fallback',
      dnf: 'fontconfig google-droid-sans-fonts',
      pacman: 'fontconfig adobe-source-han-sans-jp-fonts',
      apk: 'fontconfig font-ipa',
    },
  },
}

/** How each package manager installs; in the order in which they are preferred. */
const managers = {
  brew: (...names) => [['brew', 'install', ...names]],
  'apt-get': (...names) => [
    ['apt-get', '-q', 'update'],
    ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', ...names],
  ],
  dnf: (...names) => [['dnf', 'install', '-y', ...names]],
  pacman: (...names) => [['pacman', '-S', '--noconfirm', ...names]],
  apk: (...names) => [['apk', 'add', ...names]],
  winget: (name) => [['winget', 'install', '--exact', '--id', name]],
  scoop: (name) => [['scoop', 'install', name]],
}

const isRoot = process.getuid?.() === 0

/** Finds each named thing or brings it, and answers the folders its programs are in. */
export async function ensurePrograms(names, { required }) {
  const folders = []
  for (const name of names) {
    if (lacks(name).length > 0) await bring(name, { required })
    const { programs } = catalogue[name]
    folders.push(...programs.flat().map(findProgram).filter(Boolean).map(dirname))
  }
  return [...new Set(folders)]
}

/** What of a named thing is not there, in words. */
function lacks(name) {
  const { programs, language } = catalogue[name]
  const absent = programs.map((one) => [one].flat()).filter((any) => !any.some(findProgram))
  if (absent.length > 0 || language === undefined) return absent.map(([first]) => `no ${first} on PATH`)
  const { stdout } = spawnSync(findProgram('fc-list'), [`:lang=${language}`, 'family'])
  return stdout?.length > 0 ? [] : [`no font for ${language} in fc-list`]
}

async function bring(name, { required }) {
  const steps = installSteps(name)
  const commands = steps.map((step) => step.join(' ')).join(' && ')
  const told = `${name} is missing (${lacks(name).join(', ')}). Install it with:\n\n  ${
    commands || `the installer of ${name} for your system`
  }\n`
  if (commands && (await mayInstall(`${told}\nRun this now? [y/N] `))) {
    say(commands)
    for (const [program, ...args] of steps) {
      if (!(await succeeds(findProgram(program), args))) break
    }
    if (lacks(name).length === 0) return
  }
  if (required) throw new SetupError(`${told}\nThen run this again.`)
  say(`${told}\nGoing on without it; what needs it is skipped.`)
}

/** Whether a program is there, begins, and ends well. */
async function succeeds(program, args) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', ...process.env }
  return program !== undefined && (await inForeground(program, args, { env }).catch(() => 1)) === 0
}

function installSteps(name) {
  const { packages } = catalogue[name]
  const manager = Object.keys(managers).find((candidate) => packages[candidate] && findProgram(candidate))
  if (!manager) return []
  const byRoot = process.platform === 'linux' && manager !== 'brew' && !isRoot
  return managers[manager](...packages[manager].split(' ')).map((step) => (byRoot ? ['sudo', ...step] : step))
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

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { findProgram } from './find.mjs'
import { inForeground, say, SetupError } from './process.mjs'

/** Requirements besides Node: programs (of a nested list any one is enough), fonts, and packages by package manager. */
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
  // The full browser, as users have it, draws when it wants; the headless shell draws on command.
  'a whole Chromium': {
    programs: [['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']],
    packages: {
      'apt-get': 'chromium',
      dnf: 'chromium',
      pacman: 'chromium',
      apk: 'chromium',
    },
  },
  // The voices of generated recordings with known words, in test/recordings.
  'espeak-ng': {
    programs: ['espeak-ng'],
    packages: {
      'apt-get': 'espeak-ng',
      dnf: 'espeak-ng',
      pacman: 'espeak-ng',
      apk: 'espeak-ng',
      brew: 'espeak-ng',
    },
  },
  // Tests start ffmpeg without the libraries that they do not use, see test/setup/omit-libraries.ts.
  binutils: {
    programs: ['as', 'ld'],
    packages: {
      'apt-get': 'binutils',
      dnf: 'binutils',
      pacman: 'binutils',
      apk: 'binutils',
    },
  },
  // Fonts of the accepted subtitle pictures in test/engines/subtitles/golden; Droid Sans Fallback has Japanese as well.
  fonts: {
    programs: ['fc-list'],
    families: ['Droid Sans Fallback', 'DejaVu Sans', 'Liberation Sans'],
    packages: {
      'apt-get': 'fontconfig fonts-droid-fallback fonts-dejavu-core fonts-liberation',
      dnf: 'fontconfig google-droid-fallback-fonts dejavu-sans-fonts liberation-sans-fonts',
      pacman: 'fontconfig ttf-droid ttf-dejavu ttf-liberation',
      apk: 'fontconfig font-droid-nonlatin font-dejavu font-liberation',
    },
  },
}

/** Installation commands of each package manager, in order of preference. */
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

/** Finds or installs each named requirement. Returns the folders of its programs. */
export async function ensurePrograms(names, { required }) {
  const folders = []
  for (const name of names) {
    if (missingParts(name).length > 0) await installRequirement(name, { required })
    const { programs } = catalogue[name]
    folders.push(...programs.flat().map(findProgram).filter(Boolean).map(dirname))
  }
  return [...new Set(folders)]
}

/** Describes the missing programs and fonts of a requirement. */
function missingParts(name) {
  const { programs, families } = catalogue[name]
  const absent = programs.map((one) => [one].flat()).filter((any) => !any.some(findProgram))
  if (absent.length > 0 || families === undefined) return absent.map(([first]) => `no ${first} on PATH`)
  const { stdout } = spawnSync(findProgram('fc-list'), [':', 'family'], { encoding: 'utf8' })
  const installed = (stdout ?? '').split('\n').flatMap((line) => line.split(','))
  return families
    .filter((family) => !installed.includes(family))
    .map((family) => `no font ${family} in fc-list`)
}

async function installRequirement(name, { required }) {
  const steps = installSteps(name)
  const commands = steps.map((step) => step.join(' ')).join(' && ')
  const message = `${name} ${name.endsWith('s') ? 'are' : 'is'} missing (${missingParts(name).join(', ')}). Install with:\n\n  ${
    commands || `the installer of ${name} for your system`
  }\n`
  if (commands && (await mayInstall(`${message}\nRun this now? [y/N] `))) {
    say(commands)
    for (const [program, ...args] of steps) {
      if (!(await succeeds(findProgram(program), args))) break
    }
    if (missingParts(name).length === 0) return
  }
  if (required) throw new SetupError(`${message}\nThen run this again.`)
  say(`${message}\nContinuing without it; tests that need it are skipped.`)
}

/** Runs a program. Returns whether it exists and exits with 0. */
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

/** Whether to install: always in CI and for root in a container, otherwise after a yes; never with REELWRIGHT_SETUP=no. */
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

// A HUD for the agents of OpenCode: passes on what happens, and puts into each request what it is given.
// `ujsx install opencode` writes this file, with the settings below; `ujsx uninstall opencode` takes it out.
//
// All that is known of a HUD is known by the bridge, a process that this starts and talks to over its standard
// streams. Nothing here may end a turn: what goes wrong is said once, and gone on without.

import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const SETTINGS = { program: ["ujsx", "bridge", "--stdio"], mode: "append", prune: false, tools: [] }

// Milliseconds. A bridge that was late is waited for less, until it answers in time again.
const PATIENCE = { starting: 10_000, request: 4_000, late: 250, call: 30_000, hung: 30_000, host: 2_000, ...SETTINGS.patience }

const LONGEST_PAUSE = 60_000
const MOST_WAITING = 10_000 // observations that are kept while there is no bridge
const MOST_DEATHS = 4 // of bridges that were at the same request: perhaps it is what they fail with
const MOST_DEATHS_OF_CALLS = 2 // of those, the model is waiting
const MOST_KNOWN = 1_000 // sessions
const MOST_ORIGINS = 50 // sessions among which that of a copy is looked for, the newest first
const MOST_SHOWN = 160_000 // characters of calls and results that are told of a request, of the newest
const SHORTEST_PRUNED = 400 // characters of an output that is worth asking for
const ARRIVED = Buffer.from([0x06])
const LOST = Buffer.from([0x15])

class Bridge {
  #process = null
  #waiting = [] // in the order in which they are answered
  #received = Buffer.alloc(0)
  #answered = false
  #failures = 0
  #restarts = null
  #name = randomBytes(8).toString("hex") // of who tells, by which the bridge knows what it is told again
  #told = 0

  constructor(program, tell) {
    this.program = program
    this.tell = tell
    this.ended = false
    this.#start() // before the first request, which would wait for it
  }

  // Returns the answer as text; null where there is none in `limit` milliseconds, or for an observation, which has no
  // limit. Where the bridge ends, the next one is asked, with the same id: what was taken in is taken in once.
  ask(kind, data, limit = 0, isCall = false) {
    return new Promise((resolve) => {
      if (this.ended) return resolve(null)
      const body = Buffer.from(JSON.stringify(data))
      const bytes = Buffer.concat([Buffer.from(`${kind} ${body.length} ${this.#name}.${this.#told++}\n`), body])
      const request = { bytes, isCall, isKept: !limit, isLate: false, since: Date.now(), deaths: 0 }
      request.end = (answer) => {
        clearTimeout(request.timer)
        resolve(answer)
      }
      if (limit) this.#limit(request, limit)
      this.#waiting.push(request)
      if (this.#waiting.length > MOST_WAITING && !this.#process) this.#waiting.shift().end(null)
      if (this.#process) this.#write(request.bytes)
      else if (!this.#restarts) this.#start()
      else if (limit && this.#failures > 1) this.#late(request) // it does not start: nobody waits for that twice
    })
  }

  get limit() {
    if (this.#waiting.some((each) => each.isLate)) return PATIENCE.late
    return this.#answered ? PATIENCE.request : PATIENCE.starting
  }

  end() {
    this.ended = true
    clearTimeout(this.#restarts)
    this.#process?.stdin.end()
  }

  #start() {
    this.#restarts = null
    this.#received = Buffer.alloc(0)
    this.#answered = false
    const [command, ...given] = this.program
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      this.#over()
    }
    try {
      // A group of its own: what interrupts the host in a terminal does not interrupt what is being recorded.
      const child = spawn(command, given, { stdio: ["pipe", "pipe", "ignore"], detached: true })
      this.#process = child
      child.on("error", over)
      child.on("exit", over)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => child === this.#process && this.#read(chunk)) // not what one that is over has left
      for (const each of [child, child.stdin, child.stdout]) each.unref?.()
      for (const each of this.#waiting) {
        if (each.timer) this.#limit(each, PATIENCE.starting)
        this.#write(each.bytes)
      }
    } catch {
      over()
    }
  }

  #over() {
    this.#process = null
    if (this.ended) return
    this.#failures = this.#answered ? 1 : this.#failures + 1
    const [first] = this.#waiting
    if (first && ++first.deaths >= (first.isCall ? MOST_DEATHS_OF_CALLS : MOST_DEATHS)) {
      this.#waiting.shift().end(null)
      if (first.isCall) this.#failures = 1 // the next one need not fail
    }
    this.#waiting = this.#waiting.filter((each) => !each.isLate)
    if (!this.#answered && this.#failures > 1) {
      this.tell("ujsx could not start its bridge, and goes on without a HUD; `ujsx bridge --stdio` in a terminal says why")
      this.#waiting = this.#waiting.filter((each) => each.isKept || each.end(null))
    }
    const pause = Math.min(LONGEST_PAUSE, this.#failures < 2 ? 0 : 500 * 2 ** this.#failures)
    this.#restarts = setTimeout(() => this.#start(), pause)
    this.#restarts.unref?.()
  }

  #limit(request, limit) {
    clearTimeout(request.timer)
    request.timer = setTimeout(() => this.#late(request), limit)
  }

  #late(request) {
    request.end(null)
    request.isLate = true
    if (!this.#process) this.#waiting = this.#waiting.filter((each) => each !== request)
    else if (Date.now() - this.#waiting[0].since > PATIENCE.hung) this.#process.kill("SIGKILL")
  }

  #write(bytes) {
    try {
      this.#process.stdin.write(bytes)
    } catch {} // it has ended, and is started again
  }

  #read(chunk) {
    this.#received = Buffer.concat([this.#received, chunk])
    for (;;) {
      const start = this.#received.indexOf(10) + 1
      const size = Number(this.#received.toString("latin1", 0, start))
      if (!start || this.#received.length < start + size) return
      const text = this.#received.toString("utf8", start, start + size)
      this.#received = this.#received.subarray(start + size)
      this.#answered = true
      this.#failures = 0
      const request = this.#waiting.shift()
      this.#write(!request || request.isLate ? LOST : ARRIVED)
      request?.end(text)
    }
  }
}

// What the host has stored, without what other plugins put behind it for one request.
const stored = (messages) => {
  const isAdded = ({ info, parts }) => info.role === "user" && parts.length && parts.every((each) => each.synthetic)
  return messages.slice(0, messages.findLastIndex((each) => !isAdded(each)) + 1)
}

const textOf = (message) => message.parts.filter((each) => each.type === "text").map((each) => each.text).join("\n")

// What the person, the model and a summary say, and what tools near the end were asked and answered, so that the HUD need
// not repeat it. What the host has cleared the model does not read.
const words = (messages) => {
  let left = MOST_SHOWN
  const shown = (texts) => {
    const found = texts.filter(Boolean).join("\n").slice(0, Math.max(left, 0))
    left -= found.length
    return found
  }
  const said = ({ info, parts }) => {
    const states = parts.filter((each) => each.type === "tool").map((each) => each.state)
    return {
      by: info.summary === true ? "summary" : info.role,
      text: textOf({ parts: parts.filter((each) => !each.synthetic) }),
      results: shown(states.map(({ output, error, time }) => (time?.compacted ? "" : (output ?? error)))),
      calls: shown(states.map(({ input }) => input && JSON.stringify(input))),
    }
  }
  return [...messages].reverse().map(said).reverse()
}

const part = (text, info, number) => ({
  id: `prt_ujsx_${number}_${info.id}`,
  sessionID: info.sessionID,
  messageID: info.id,
  type: "text",
  text,
  synthetic: true,
})

const message = (text, info, number) => {
  const own = { ...info, id: `${info.id}_ujsx_${number}` }
  return { info: own, parts: [part(text, own, number)] }
}

// Puts texts where they were first said: into the user's message that stands before them, or behind the agent's.
const place = (messages, own, said, tail) => {
  const user = own.findLast((each) => each.info.role === "user")
  if (!user) return
  const behind = new Map()
  said.forEach((each, number) => behind.set(each.after, [...(behind.get(each.after) ?? []), { ...each, number }]))
  const merged = messages.flatMap((each) => {
    const texts = behind.get(each.info.id) ?? []
    if (!texts.length) return [each]
    if (each.info.role === "user")
      return [{ ...each, parts: [...each.parts, ...texts.map(({ text, number }) => part(text, each.info, number))] }]
    const info = { ...user.info, id: each.info.id }
    return [each, ...texts.map(({ text, number }) => message(text, info, number))]
  })
  if (tail) merged.push(message(tail, user.info, said.length))
  messages.splice(0, messages.length, ...merged)
}

const within = (limit, promise) =>
  Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve(null), limit).unref?.())])

const remember = (map, key, value) => {
  map.delete(key)
  map.set(key, value)
  if (map.size > MOST_KNOWN) map.delete(map.keys().next().value)
}

// Where it is installed for the user and for a project, one of the two does it: the project's.
const here = (globalThis[Symbol.for("ujsx.opencode")] ??= new Set())

const real = (path) => {
  try {
    return realpathSync(path)
  } catch {} // there is none
}

const isProjects = (folder) => {
  for (let at = folder; ; at = dirname(at)) {
    const found = real(join(at, ".opencode", "plugins", "ujsx.js"))
    if (found) return found === real(fileURLToPath(import.meta.url))
    if (at === dirname(at)) return true // no project has one
  }
}

export const Ujsx = async ({ client, directory }) => {
  if (here.has(directory) || !isProjects(directory)) return {}
  here.add(directory)

  const told = new Set()
  const tell = (sentence) => {
    if (told.has(sentence)) return
    told.add(sentence)
    try {
      client.app.log({ body: { service: "ujsx", level: "warn", message: sentence } })?.catch?.(() => {})
      client.tui.showToast({ body: { title: "ujsx", message: sentence, variant: "warning" } })?.catch?.(() => {})
    } catch {}
  }
  const bridge = new Bridge(SETTINGS.program, tell)

  const parents = new Map() // of sessions; null for one that nobody started
  const lasts = new Map() // what stands in the last request of a session
  const systems = new Map() // what goes into the system prompt of the request that is being made
  const limits = new Map() // how much models hold
  const models = new Map() // the model of a session
  const titles = new Map()
  const born = new Map() // when sessions were created
  const copies = new Set() // sessions with messages of another one, which is not known yet
  const seen = new Map() // the newest message of a session that was told of, and whether it is over
  const calls = new Map() // calls that are under way, and whose they are
  const compacting = new Set()
  const prompting = new Set() // sessions whose agent is being told of its context
  let takesPrompts = typeof client.session.promptAsync === "function"
  const wantsCompaction = new Set()
  let untaken = 0 // texts for the system prompt that nobody took, in a row

  // The session, behind those that it is a subagent of.
  const line = async (session) => {
    const found = [session]
    for (;;) {
      const at = found[0]
      if (!parents.has(at)) {
        const got = await within(PATIENCE.host, client.session.get({ path: { id: at } })).catch(() => null)
        if (!got?.data) return found
        remember(parents, at, got.data.parentID ?? null)
      }
      const parent = parents.get(at)
      if (!parent || found.includes(parent)) return found
      found.unshift(parent)
    }
  }

  // What is told is told in its order.
  let before = Promise.resolve()
  const send = (session, data, limit = () => 0, isCall = false) => {
    const sent = before.then(async () => {
      const kind = isCall ? "opencode-call" : "opencode"
      return { answer: bridge.ask(kind, { line: await line(session), directory, ...data }, limit(), isCall) }
    })
    before = sent.catch(() => {})
    return sent.then(async ({ answer }) => {
      const text = await answer
      const found = text ? JSON.parse(text) : null
      if (found?.news) tell(found.news)
      return found
    })
  }

  const safe = (hook) => async (...given) => {
    try {
      await hook(...given)
    } catch (error) {
      tell(`ujsx failed, and goes on without (${error})`)
    }
  }
  const observe = (session, data) => void send(session, data).catch((error) => tell(`ujsx failed, and goes on without (${error})`))

  const summaryIn = (messages) => {
    const found = messages.findLast((each) => each.info.role === "assistant" && each.info.summary === true)
    return found && { id: found.info.id, text: textOf(found) }
  }

  const messagesOf = async (id) => {
    const got = await within(PATIENCE.host, client.session.messages({ path: { id } })).catch(() => null)
    return (got?.data ?? []).map(({ info }) => ({ id: info.id, time: info.time?.created }))
  }

  // The host copies messages with their times. The session that they come from is told before all else of the copy.
  const settle = async (session) => {
    if (!copies.delete(session)) return
    const copied = (await messagesOf(session)).filter((each) => each.time < born.get(session))
    const got = await within(PATIENCE.host, client.session.list()).catch(() => null)
    const others = (got?.data ?? []).filter((each) => each.id !== session)
    for (const { id } of others.slice(0, MOST_ORIGINS)) {
      const theirs = await messagesOf(id)
      if (!copied.every((each, number) => each.time === theirs[number]?.time)) continue
      return observe(session, { type: "session.forked", origin: await line(id), since: theirs[copied.length]?.id })
    }
  }

  const events = {
    "session.created": ({ info }) => {
      remember(parents, info.id, info.parentID ?? null)
      remember(born, info.id, info.time?.created)
    },
    "session.updated": ({ info }, event) => {
      remember(parents, info.id, info.parentID ?? null)
      if (copies.has(info.id)) return // it is told of with its next change
      if (titles.get(info.id) === info.title) return
      remember(titles, info.id, info.title)
      observe(info.id, event)
    },
    "session.deleted": ({ info }, event) => {
      remember(parents, info.id, info.parentID ?? null)
      observe(info.id, event)
    },
    "session.compacted": async ({ sessionID }, event) => {
      const got = await within(PATIENCE.host, client.session.messages({ path: { id: sessionID }, query: { limit: 20 } }))
      const summary = summaryIn(got?.data ?? [])
      if (summary) observe(sessionID, { ...event, summary })
    },
    "session.idle": async ({ sessionID }) => {
      for (const [call, { session }] of calls) if (session === sessionID) calls.delete(call)
      const model = models.get(sessionID)
      if (wantsCompaction.delete(sessionID) && model) await client.session.summarize({ path: { id: sessionID }, body: model })
    },
    "message.updated": ({ info }, event) => {
      if (info.time?.created < born.get(info.sessionID)) return copies.add(info.sessionID)
      if (info.role !== "assistant") return
      const isOver = Boolean(info.time?.completed)
      const last = seen.get(info.sessionID)
      if (last?.id === info.id && (last.isOver || !isOver)) return
      remember(seen, info.sessionID, { id: info.id, isOver })
      observe(info.sessionID, { ...event, limit: limits.get(`${info.providerID}/${info.modelID}`) })
    },
    "message.removed": ({ sessionID }, event) => observe(sessionID, event),
    "message.part.updated": ({ part }, event) => {
      if (part.type !== "tool" || part.state.status !== "error") return
      calls.delete(part.callID)
      observe(part.sessionID, event)
    },
    "todo.updated": ({ sessionID }, event) => observe(sessionID, event),
    // It names no session: it is that of the call under way, where there is only one.
    "file.edited": (_, event) => {
      const working = new Set([...calls.values()].filter((each) => each.tool !== "task").map((each) => each.session))
      if (working.size === 1) observe([...working][0], event)
    },
  }

  const call = async (tool, given, { sessionID }) => {
    const asked = { tool, arguments: given }
    const answer = await send(sessionID, asked, () => PATIENCE.call, true).catch(() => null)
    if (!answer) throw new Error(`${tool} cannot be reached now; go on without, and try again later`)
    if (answer.is_error) throw new Error(answer.text)
    if (answer.compacts) wantsCompaction.add(sessionID)
    return answer.text
  }

  // What an agent is told once of its context becomes a message of the host's own, as of who spoke last: the agent
  // and its model stay what they are. Where the host takes none, it goes along with the next request.
  const intervene = async (session, text, { agent, model, system, tools, variant }) => {
    if (prompting.has(session)) return
    prompting.add(session)
    const body = { noReply: true, agent, model, system, tools, variant, parts: [{ type: "text", text, synthetic: true }] }
    const got = await within(PATIENCE.host, client.session.promptAsync({ path: { id: session }, body })).catch((error) => ({ error }))
    takesPrompts = !got?.error // who is only slow has been told
    if (takesPrompts) await send(session, { type: "intervened" })
    prompting.delete(session)
  }

  const tools = SETTINGS.tools.map(({ name, description, parameters }) => [
    name,
    { description, args: parameters.properties, execute: (given, context) => call(name, given, context) },
  ])

  return {
    tool: Object.fromEntries(tools),
    // The host knows of each argument, and takes all of them as needed.
    "tool.definition": safe((input, output) => {
      const own = SETTINGS.tools.find((each) => each.name === input.toolID)
      if (own && output.jsonSchema) output.jsonSchema = own.parameters
    }),
    event: safe(({ event: { type, properties } }) => events[type]?.(properties, { type, properties })),
    "chat.message": safe(async ({ sessionID }, { message, parts }) => {
      await settle(sessionID)
      observe(sessionID, { type: "chat.message", message, parts })
    }),
    "chat.params": safe(({ model, sessionID, agent }) => {
      const providerID = model.providerID
      limits.set(`${providerID}/${model.id}`, model.limit?.context)
      if (!["title", "compaction"].includes(agent?.name ?? agent)) remember(models, sessionID, { providerID, modelID: model.id })
    }),
    "tool.execute.before": safe(({ tool, sessionID, callID }) => void calls.set(callID, { tool, session: sessionID })),
    "tool.execute.after": safe(async (input, result) => {
      calls.delete(input.callID)
      const { tool, sessionID, callID, args } = input
      const { output, content, metadata } = result
      observe(sessionID, { type: "tool.execute.after", tool, callID, args, output: { output, content, metadata } })
      if (!SETTINGS.prune || (output ?? JSON.stringify(content ?? "")).length < SHORTEST_PRUNED) return
      // The HUD has seen the whole; the model gets what is left of it. Without an answer it gets the whole as well.
      const pruned = await send(sessionID, { type: "prune", tool, args, output: { output, content } }, () => bridge.limit)
      if (typeof pruned?.output === "string") result.output = pruned.output
      if (Array.isArray(pruned?.content)) result.content = pruned.content
    }),
    "experimental.session.compacting": safe(async ({ sessionID }, output) => {
      compacting.add(sessionID)
      const answer = await send(sessionID, { type: "experimental.session.compacting" }, () => bridge.limit)
      if (answer?.context) output.context.push(answer.context)
      if (answer?.prompt) output.prompt = answer.prompt // and the host's own is not used
    }),
    "experimental.chat.messages.transform": safe(async (_, { messages }) => {
      const own = stored(messages)
      const session = own[0]?.info.sessionID
      if (!session) return compacting.clear()
      if (compacting.delete(session)) return // what is to be summed up
      await settle(session)
      if (systems.delete(session)) untaken += 1
      const hasSystem = untaken < 2 // one request may have been stopped; with two, the host's prompts are others by now
      const ids = own.map((each) => each.info.id)
      const asked = {
        type: "request", mode: SETTINGS.mode, messages: ids, said: words(own),
        summary: summaryIn(own), prompts: takesPrompts,
      }
      const answer = await send(session, asked, () => bridge.limit)
      const user = own.findLast((each) => each.info.role === "user")
      if (answer?.intervention && user) void safe(intervene)(session, answer.intervention, user.info)
      // Without an answer, what was said stays where it was.
      const said = answer
        ? answer.said.map(({ text, behind }) => ({ text, after: ids[behind - 1] }))
        : (lasts.get(session) ?? []).filter((each) => ids.includes(each.after))
      remember(lasts, session, said)
      const tail = [hasSystem ? "" : answer?.system, answer?.tail].filter(Boolean).join("\n")
      if (hasSystem && answer?.system) systems.set(session, answer.system)
      place(messages, own, said, tail)
    }),
    // Requests of agents alone have an environment: those for titles and summaries are left as they are.
    ...(SETTINGS.mode === "system" && {
      "experimental.chat.system.transform": safe(({ sessionID }, { system }) => {
        const text = sessionID && system.join("\n").includes("<env>") && systems.get(sessionID)
        if (!text || !systems.delete(sessionID)) return
        untaken = 0
        system.push(text)
      }),
    }),
    dispose: async () => {
      here.delete(directory)
      await within(PATIENCE.host, before)
      bridge.end()
    },
  }
}

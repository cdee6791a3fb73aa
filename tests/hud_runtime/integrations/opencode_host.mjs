// An OpenCode that is played: it has messages, rebuilds them for each request, and calls a plugin's hooks.

export const settled = (milliseconds = 30) => new Promise((resolve) => setTimeout(resolve, milliseconds))

export class Host {
  toasts = []
  parents = {}
  stored = new Map()
  born = new Map() // sessions, and when they were created
  clock = 1_000
  summarized = []
  prompted = []
  refuses = false
  count = 0

  static async with(paths, directory) {
    const host = new Host()
    const ok = async (data) => ({ data })
    const client = {
      app: { log: () => ok(true) },
      tui: { showToast: ({ body }) => ok(host.toasts.push(body.message)) },
      session: {
        get: ({ path }) => ok({ id: path.id, parentID: host.parents[path.id] }),
        messages: ({ path }) => ok(host.messages(path.id)),
        list: () => ok([...host.born].reverse().map(([id, created]) => ({ id, time: { created } }))),
        promptAsync: async ({ path, body }) => {
          if (host.refuses) return { error: { name: "BadRequest" } }
          host.prompted.push({ session: path.id, ...body })
          await host.adds(path.id, body.parts, { agent: body.agent, model: body.model })
          return { data: undefined }
        },
        summarize: ({ path, body }) => ok(host.summarized.push([path.id, body])),
      },
    }
    host.all = []
    for (const path of paths) {
      const module = await import(path)
      const made = Object.values(module).map((plugin) => plugin({ client, directory }))
      host.all.push(...(await Promise.all(made)))
    }
    return host
  }

  get tools() {
    return Object.assign({}, ...this.all.map((hooks) => hooks.tool))
  }

  async trigger(name, input, output) {
    for (const hooks of this.all) await hooks[name]?.(input, output)
    return output
  }

  event(type, properties) {
    for (const hooks of this.all) hooks.event?.({ event: { type, properties } })
  }

  // From where they are stored, anew each time.
  messages(session) {
    return structuredClone(this.stored.get(session) ?? [])
  }

  add(session, role, parts, more = {}) {
    if (!this.born.has(session)) this.creates(session)
    const info = { id: `msg_${++this.count}`, role, sessionID: session, time: { created: this.clock++ }, ...more }
    const all = this.stored.get(session) ?? []
    this.stored.set(session, [...all, { info, parts }])
    return info
  }

  creates(session) {
    this.born.set(session, this.clock++)
    this.event("session.created", { info: { id: session, parentID: this.parents[session], time: { created: this.born.get(session) } } })
  }

  // As POST /session/ID/fork: messages with new ids and their own times.
  forks(origin, session, count = Infinity) {
    this.creates(session)
    const copied = this.messages(origin).slice(0, count).map(({ info, parts }) => ({ info: { ...info, id: `msg_${++this.count}`, sessionID: session }, parts }))
    for (const { info } of copied) this.event("message.updated", { info })
    this.stored.set(session, copied)
    this.event("session.updated", { info: { id: session, title: "A title (fork #1)", time: { created: this.born.get(session) } } })
  }

  // As /undo and a prompt behind it.
  reverts(session, count) {
    const all = this.messages(session)
    this.stored.set(session, all.slice(0, count))
    for (const { info } of all.slice(count)) this.event("message.removed", { sessionID: session, messageID: info.id })
  }

  async says(session, text, more = {}) {
    await this.adds(session, [{ type: "text", text }], more)
  }

  async adds(session, parts, more) {
    const info = this.add(session, "user", parts, more)
    await this.trigger("chat.message", { sessionID: session }, { message: info, parts })
  }

  async works(session, tool, args, output = "ok") {
    const callID = `call_${this.count + 1}`
    this.add(session, "assistant", [{ type: "tool", tool, callID, state: { status: "completed", input: args, output } }])
    await this.trigger("tool.execute.before", { tool, sessionID: session, callID }, { args })
    await this.trigger("tool.execute.after", { tool, sessionID: session, callID, args }, { title: "", output, metadata: {} })
  }

  // What the model reads: roles and texts.
  async request(session, { env = true } = {}) {
    const { messages } = await this.trigger("experimental.chat.messages.transform", {}, { messages: this.messages(session) })
    const system = [env ? "Be brief.\n<env>\n</env>" : "You are a title generator."]
    await this.trigger("experimental.chat.system.transform", { sessionID: session, model: {} }, { system })
    const texts = messages.map(({ info, parts }) => [info.role, ...parts.map((each) => each.text ?? each.state?.output ?? each.type)])
    return { system, texts }
  }

  async compacts(session) {
    const output = await this.trigger("experimental.session.compacting", { sessionID: session }, { context: [] })
    const head = this.messages(session)
    await this.trigger("experimental.chat.messages.transform", {}, { messages: head })
    this.stored.set(session, [])
    this.add(session, "user", [{ type: "compaction" }])
    this.add(session, "assistant", [{ type: "text", text: "We added a login." }], { summary: true })
    this.event("session.compacted", { sessionID: session })
    return { context: output.context, head: JSON.stringify(head) }
  }

  async ends() {
    for (const hooks of this.all) await hooks.dispose?.()
  }
}

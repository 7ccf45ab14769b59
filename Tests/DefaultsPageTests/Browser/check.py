#!/usr/bin/env python3
"""The page of all settings in a real browser: headless Chromium, through lighttpd and CGI.

    check.py PROGRAM [--screenshots FOLDER] [TEST…]

PROGRAM is the built `PageProgram`. Needs Debian's `chromium`, `chromium-driver` and `lighttpd`, and
Python's `selenium`. Exits with 1 if a test fails.
"""

import json
import statistics
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

sys.path.insert(0, str(Path(__file__).parent))
import accessibility
from site_of_settings import OtherSite, Site

PROGRAM = None
SCREENSHOTS = None


def browser(script=True):
  options = webdriver.ChromeOptions()
  options.binary_location = "/usr/bin/chromium"
  for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]:
    options.add_argument(argument)
  options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
  if not script:
    options.add_experimental_option(
      "prefs", {"profile.managed_default_content_settings.javascript": 2})
  driver = webdriver.Chrome(
    options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
  driver.set_window_size(1000, 900)
  return driver


class PageTest(unittest.TestCase):
  managed = '{"volume": 9}'
  count = None
  script = True

  @classmethod
  def setUpClass(cls):
    cls.driver = browser(cls.script)

  @classmethod
  def tearDownClass(cls):
    cls.driver.quit()

  def setUp(self):
    self.site = Site(PROGRAM, self.managed, self.count)
    self.addCleanup(self.site.close)
    # An open page would keep its connection to the server of the test before.
    self.addCleanup(self.driver.get, "about:blank")
    self.driver.get_log("browser")
    self.load()

  def load(self, query=""):
    self.driver.get(self.site.url + query)

  def find(self, selector):
    return self.driver.find_element(By.CSS_SELECTOR, selector)

  def all(self, selector):
    return self.driver.find_elements(By.CSS_SELECTOR, selector)

  def field(self, name):
    return self.find(f'[name=":{name}"]:not([type=hidden])')

  def row(self, name):
    return self.driver.find_element(By.XPATH, f'//section/div[code[text()="{name}"]]')

  def visible(self):
    return [e.text for e in self.all("section>div code") if e.is_displayed()]

  def status(self):
    return self.find("#t").text

  def wait(self, condition, words):
    # The page replaces rows, and a submission the page.
    WebDriverWait(
      self.driver, 30, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException]
    ).until(lambda _: condition(), words)

  def type(self, name, text):
    field = self.field(name)
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text)
    field.send_keys(Keys.TAB)

  def shoot(self, name, full=True):
    if not SCREENSHOTS:
      return
    if full:
      size = self.driver.execute_script(
        "return [innerWidth, document.documentElement.scrollHeight]")
      self.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
    self.driver.save_screenshot(f"{SCREENSHOTS}/{name}.png")
    self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

  def check_log(self):
    """No error of a script, and nothing that the policy has blocked."""
    severe = [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]
    self.assertEqual([m for m in severe if "favicon" not in m], [])


class ReadingTests(PageTest):
  def test_page_shows_all_settings_in_sections(self):
    self.assertEqual(self.find("h1").text, "Settings of mytool")
    self.assertEqual([e.text for e in self.all("h2")], ["General", "Editor", "Advanced"])
    self.assertEqual(len(self.visible()), 15)
    self.assertIn("The number of spaces of a tab", self.row("editor.tabWidth").text)
    self.shoot("light")
    self.check_log()

  def test_managed_setting_has_no_control(self):
    row = self.row("volume")
    self.assertEqual(row.find_elements(By.CSS_SELECTOR, "input"), [])
    self.assertIn("9", row.find_element(By.TAG_NAME, "samp").text)
    self.assertIn("Managed by an administrator", row.text)

  def test_search_and_filters_hide_other_settings(self):
    query = self.find("#q")
    query.send_keys("tab wid")
    self.assertEqual(self.visible(), ["editor.tabWidth"])
    self.assertEqual(self.status(), "1 of 15 settings")
    self.assertEqual([e.text for e in self.all("h2") if e.is_displayed()], ["Editor"])
    for text, names in [
      ("@managed", ["volume"]), ("@changed", []), ("serif", ["editor.font"]),
      ("@layer:managed", ["volume"]), ("80,100", ["editor.rulers"]), ("nothing", [])]:
      query.clear()
      query.send_keys(text)
      self.assertEqual(self.visible(), names, text)
    self.check_log()

  def test_search_in_the_address_can_be_cleared(self):
    self.load("?q=%40managed")
    self.assertEqual(self.visible(), ["volume"])
    self.find("#q").clear()
    self.find("#q").send_keys(" ")
    self.assertEqual(len(self.visible()), 15)


class ChangingTests(PageTest):
  managed = "{}"

  def saved(self, name, value):
    self.wait(lambda: self.status() == "Saved 1 setting", f"{name}: {self.status()}")
    self.assertEqual(self.site.value(name), value)
    self.driver.execute_script("document.getElementById('t').textContent = ''")

  def test_each_kind_of_control_saves_at_once(self):
    self.field("launchAtLogin").click()
    self.saved("launchAtLogin", "true")
    Select(self.field("theme")).select_by_value("dark")
    self.saved("theme", "dark")
    Select(self.field("editor.showsMinimap")).select_by_visible_text("Off")
    self.saved("editor.showsMinimap", "false")
    for name, text, value in [
      ("volume", "7", "7"), ("nickname", "Bo <b>", "Bo <b>"), ("editor.cursorBlink", "0.25", "0.25"),
      ("editor.rulers", "72, 90", "72,90"), ("advanced.headers", '{"a":"b"}', '{"a":"b"}'),
      ("advanced.timeout", "2m", "2m"), ("advanced.window", '{"width":1,"height":2}',
                                         '{"height":2,"width":1}')]:
      self.type(name, text)
      self.saved(name, value)
    self.driver.execute_script(
      "const e = arguments[0]; e.value = '2026-11-25T12:30';"
      "e.dispatchEvent(new Event('change', {bubbles: true}))", self.field("advanced.expires"))
    self.saved("advanced.expires", "2026-11-25T12:30:00Z")
    self.assertIn("Changed, default system", self.row("theme").text)
    self.shoot("changed")
    self.check_log()

  def test_secret_is_replaced_and_removed_and_never_shown(self):
    self.type("apiToken", "swordfish")
    self.wait(lambda: "Saved" in self.status(), "saving")
    self.assertEqual(self.site.command("get", "apiToken", "--show-secrets"), "swordfish")
    self.load()
    self.assertNotIn("swordfish", self.driver.page_source)
    self.assertIn("Secret, set, not shown", self.row("apiToken").text)
    self.row("apiToken").find_element(By.TAG_NAME, "button").click()
    self.wait(lambda: "Secret, not set" in self.row("apiToken").text, "removing")

  def test_invalid_input_is_explained_and_not_stored(self):
    self.type("editor.tabWidth", "99")
    self.wait(lambda: "Not saved" in self.status(), "the problem")
    field = self.field("editor.tabWidth")
    self.assertEqual(field.get_attribute("aria-invalid"), "true")
    self.assertEqual(field.get_attribute("value"), "99")
    described = [self.find("#" + i).text for i in field.get_attribute("aria-describedby").split()]
    self.assertIn("a whole number, 1 to 16, not \"99\"", " ".join(described))
    self.assertEqual(self.site.value("editor.tabWidth"), "4")
    self.shoot("invalid")
    self.type("editor.tabWidth", "8")
    self.saved("editor.tabWidth", "8")
    self.assertIsNone(self.field("editor.tabWidth").get_attribute("aria-invalid"))
    # A rule that the browser doesn't know.
    self.type("advanced.step", "3")
    self.wait(lambda: "must be even" in self.row("advanced.step").text, "the rule")

  def change(self, name, text, more=None):
    """Changes a field without waiting, as a user does who is faster than the server. `more` is text
    that is typed then. All in one script, since the page may replace the field meanwhile."""
    self.driver.execute_script(
      "const e = document.querySelector(`[name=':${arguments[0]}']:not([type=hidden])`);"
      "e.value = arguments[1]; e.dispatchEvent(new Event('change', {bubbles: true}));"
      "e.value = arguments[2] ?? e.value", name, text, more)

  def test_quick_changes_of_one_setting_are_saved_in_order(self):
    self.driver.execute_script(
      "arguments[0].click(); arguments[0].click()", self.field("launchAtLogin"))
    self.wait(
      lambda: "Changed" in self.row("launchAtLogin").text
      and not self.field("launchAtLogin").is_selected(), "the second click")
    self.assertEqual(self.site.value("launchAtLogin"), "false")
    for text in ["A", "B", "C"]:
      self.change("nickname", text)
    self.wait(lambda: self.site.value("nickname") == "C", "the last change")
    self.assertNotIn("Not saved", self.row("nickname").text)

  def test_text_that_is_typed_while_another_is_saved_is_kept(self):
    self.change("nickname", "Bo", "Bob")
    self.saved("nickname", "Bo")
    self.assertEqual(self.field("nickname").get_attribute("value"), "Bob")
    self.change("nickname", "Bob")
    self.saved("nickname", "Bob")

  def test_rejected_value_can_be_submitted_again(self):
    field = self.field("nickname")
    field.send_keys("Mine")
    self.site.command("set", "nickname", "Other")
    self.site.command("set", "volume", "3")
    self.wait(lambda: self.field("volume").get_attribute("value") == "3", "the change")
    self.field("nickname").send_keys(Keys.TAB)
    self.wait(lambda: "Another program has changed" in self.row("nickname").text, "the conflict")
    self.site.command("set", "theme", "dark")
    self.wait(lambda: self.field("theme").get_attribute("value") == "dark", "another change")
    self.assertIn("Another program has changed", self.row("nickname").text)
    self.find("#n button").click()
    self.saved("nickname", "Mine")
    self.assertFalse(self.find("#n button").is_displayed())

  def test_rejection_is_removed_when_the_stored_value_is_typed(self):
    self.type("editor.tabWidth", "99")
    self.wait(lambda: "Not saved" in self.row("editor.tabWidth").text, "the problem")
    self.type("editor.tabWidth", "4")
    self.wait(lambda: "Not saved" not in self.row("editor.tabWidth").text, "the removal")

  def test_reset_button_restores_the_default(self):
    self.type("editor.tabWidth", "8")
    self.saved("editor.tabWidth", "8")
    self.row("editor.tabWidth").find_element(By.TAG_NAME, "button").click()
    self.saved("editor.tabWidth", "4")
    self.assertEqual(self.field("editor.tabWidth").get_attribute("value"), "4")

  def test_value_can_be_changed_and_changed_back(self):
    for text in ["7", "5", "7"]:
      self.type("volume", text)
      self.saved("volume", text)

  def test_change_by_another_program_appears(self):
    self.site.command("set", "volume", "3")
    self.wait(lambda: self.field("volume").get_attribute("value") == "3", "the change")
    self.assertEqual(self.status(), "Volume was changed by another program")
    # A second one, after the first connection.
    self.site.command("set", "theme", "light")
    self.wait(lambda: self.field("theme").get_attribute("value") == "light", "the second change")
    (self.site.folder / "managed.json").write_text('{"theme": "dark"}')
    self.wait(lambda: "Managed" in self.row("theme").text, "the administrator's change")
    self.check_log()

  def test_change_by_another_program_that_overtakes_an_answer_appears(self):
    self.driver.execute_script(
      """const original = window.fetch;
      window.fetch = async (url, options) => {
        const answer = await original(url, options);
        if (options?.method == 'POST') await new Promise(done => window.release = done);
        return answer;
      }""")
    # The second time, the other program restores the value that the page has shown before.
    for theme in ["dark", "light"]:
      self.change("volume", "7")
      self.wait(lambda: self.driver.execute_script("return !!window.release"), "the answer")
      self.assertEqual(self.site.value("volume"), "7")
      self.site.command("set", "volume", "3")
      self.site.command("set", "theme", theme)
      self.wait(lambda: self.field("theme").get_attribute("value") == theme, "a later change")
      self.driver.execute_script("release(); window.release = null")
      self.wait(lambda: self.field("volume").get_attribute("value") == "3", "the change")
    self.check_log()

  def test_unsaved_text_is_kept_when_another_program_changes_the_setting(self):
    field = self.field("nickname")
    field.send_keys("Mine")
    self.site.command("set", "nickname", "Other")
    self.site.command("set", "volume", "3")
    self.wait(lambda: self.field("volume").get_attribute("value") == "3", "the change")
    self.assertEqual(self.field("nickname").get_attribute("value"), "Mine")
    self.field("nickname").send_keys(Keys.TAB)
    self.wait(lambda: "Another program has changed" in self.row("nickname").text, "the conflict")
    self.assertEqual(self.site.value("nickname"), "Other")

  def test_keyboard_alone_searches_changes_and_resets(self):
    def press(*keys):
      self.driver.switch_to.active_element.send_keys(*keys)

    press(Keys.TAB)
    self.assertEqual(self.driver.switch_to.active_element.text, "Skip to the settings")
    press(Keys.TAB)
    press("volume")
    self.assertEqual(self.visible(), ["volume"])
    for _ in range(4):
      press(Keys.TAB)
      if self.driver.switch_to.active_element.get_attribute("name") == ":volume":
        break
    self.assertEqual(self.driver.switch_to.active_element.get_attribute("name"), ":volume")
    # Chromium reports this as a change at once.
    press(Keys.ARROW_UP)
    self.saved("volume", "6")
    # The focus stays in the field, which the answer has replaced.
    self.assertEqual(self.driver.switch_to.active_element.get_attribute("name"), ":volume")
    outline = self.driver.execute_script(
      "return getComputedStyle(document.activeElement).outlineStyle")
    self.assertEqual(outline, "solid")
    press(Keys.TAB)
    self.assertEqual(
      self.driver.switch_to.active_element.get_attribute("aria-label"), "Reset Volume")
    press(Keys.ENTER)
    self.saved("volume", "5")


class AccessibilityTests(PageTest):
  def emulate(self, dark):
    self.driver.execute_cdp_cmd(
      "Emulation.setEmulatedMedia",
      {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})

  def test_names_references_headings_contrast_and_sizes(self):
    self.site.command("set", "theme", "dark")
    for dark in [False, True]:
      self.emulate(dark)
      self.load()
      self.assertEqual(accessibility.problems(self.driver), [], f"dark: {dark}")
      self.shoot("dark" if dark else "light-changed")

  def test_a_rejected_submission_is_accessible(self):
    self.type("editor.tabWidth", "99")
    self.wait(lambda: "Not saved" in self.status(), "the problem")
    for dark in [False, True]:
      self.emulate(dark)
      self.assertEqual(accessibility.problems(self.driver), [], f"dark: {dark}")

  def test_page_fits_360_pixels(self):
    for width in [320, 360]:
      self.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": True})
      self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
      self.load()
      self.assertLessEqual(
        self.driver.execute_script("return document.documentElement.scrollWidth"), width)
      self.assertEqual(accessibility.problems(self.driver), [])
    self.shoot("narrow")


class WithoutScriptTests(PageTest):
  script = False
  managed = '{"editor.font": "serif"}'

  def test_submission_stores_the_changed_settings_only(self):
    self.field("launchAtLogin").click()
    Select(self.field("theme")).select_by_value("dark")
    field = self.field("volume")
    field.clear()
    field.send_keys("7")
    self.find("#n button").click()
    self.wait(lambda: self.status() == "Saved 3 settings", "the submission")
    exported = json.loads(self.site.command("export", "--as", "json"))
    managed = {"editor.font": "serif"}
    self.assertEqual(exported, {"launchAtLogin": True, "theme": "dark", "volume": 7, **managed})
    self.row("volume").find_element(By.TAG_NAME, "button").click()
    self.wait(lambda: self.status() == "Saved 1 setting", "the reset")
    self.assertEqual(self.site.value("volume"), "5")

  def test_invalid_input_is_listed_and_the_rest_stored(self):
    self.field("advanced.step").clear()
    self.field("advanced.step").send_keys("3")
    self.field("nickname").send_keys("Bo")
    self.field("nickname").send_keys(Keys.ENTER)
    self.wait(
      lambda: self.status() == "Saved 1 setting, 1 setting not saved", "the submission")
    self.assertIn("must be even", self.find("[role=alert]").text)
    self.find("[role=alert] a").click()
    self.assertEqual(self.site.value("nickname"), "Bo")
    self.shoot("without-script")

  def test_search_by_its_button(self):
    self.find("#q").send_keys("tab width")
    self.find("[role=search] button").click()
    self.wait(lambda: self.visible() == ["editor.tabWidth"], "the result")


class AttackTests(PageTest):
  managed = "{}"

  def test_another_site_changes_nothing(self):
    token = self.find("[name=token]").get_attribute("value")
    for fields in [{":volume": "9"}, {":volume": "9", "token": token}]:
      inputs = "".join(f'<input name="{n}" value="{v}">' for n, v in fields.items())
      other = OtherSite(
        f'<form method=post action="{self.site.url}">{inputs}</form>'
        "<script>document.forms[0].submit()</script>")
      self.addCleanup(other.close)
      self.driver.get(other.url)
      self.wait(lambda: "another site" in self.driver.page_source, "the rejection")
    self.assertEqual(self.site.value("volume"), "5")

  def test_another_site_can_neither_read_nor_frame_the_page(self):
    other = OtherSite(f'<title>x</title><iframe src="{self.site.url}"></iframe>')
    self.addCleanup(other.close)
    self.driver.get(other.url)
    read = self.driver.execute_async_script(
      "const done = arguments[1]; fetch(arguments[0]).then(r => r.text()).then(done, () => done(''))",
      self.site.url + "?json=1")
    self.assertEqual(read, "")
    self.driver.switch_to.frame(0)
    self.assertEqual(self.all("form"), [])
    self.driver.switch_to.default_content()

  def test_markup_in_a_value_is_text(self):
    text = "</textarea><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    self.site.command("set", "nickname", text)
    self.wait(
      lambda: self.field("nickname").get_attribute("value") == text, "the value as an event")
    self.load()
    self.assertEqual(self.field("nickname").get_attribute("value"), text)
    self.assertEqual(self.driver.title, "Settings of mytool")

  def test_injected_script_is_blocked_by_the_policy(self):
    self.driver.execute_script(
      "const e = document.createElement('script'); e.textContent = 'document.title=\"owned\"';"
      "document.body.append(e); document.body.insertAdjacentHTML('beforeend',"
      "'<img src=x onerror=\"document.title=1\">')")
    self.assertEqual(self.driver.title, "Settings of mytool")

  def test_wrong_host_oversized_body_and_query_arguments_are_rejected(self):
    def status(query="", headers={}, data=None):
      request = urllib.request.Request(self.site.url + query, data, headers)
      try:
        return urllib.request.urlopen(request).status
      except urllib.error.HTTPError as error:
        return error.code

    self.assertEqual(status(headers={"Host": "evil.example"}), 421)
    self.assertEqual(status(data=b"a" * (2 << 20)), 413)
    self.assertEqual(status("?set+volume+9"), 200)
    self.assertEqual(self.site.value("volume"), "5")


class SpeedTests(PageTest):
  managed = "{}"
  count = 1000

  def test_page_of_1000_settings_is_small(self):
    times = []
    for text in ["t", "ta", "tab", "tabw", "", "e", "ed", "@changed", "font 3", "zzz", ""]:
      times.append(self.driver.execute_script(
        """const q = document.getElementById('q'); q.value = arguments[0];
        const start = performance.now(); q.dispatchEvent(new Event('input'));
        document.body.offsetHeight; return performance.now() - start""", text))
    size = len(urllib.request.urlopen(self.site.url).read())
    print(
      f"\n1,000 settings: {size:,} bytes; a key of the search takes "
      f"{statistics.median(times):.1f} ms, {max(times):.1f} ms at most")
    self.assertLessEqual(size, 300_000)


if __name__ == "__main__":
  arguments = sys.argv[1:]
  if not arguments:
    sys.exit(__doc__)
  PROGRAM = str(Path(arguments.pop(0)).resolve())
  if "--screenshots" in arguments:
    index = arguments.index("--screenshots")
    SCREENSHOTS = Path(arguments[index + 1])
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    del arguments[index:index + 2]
  unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)

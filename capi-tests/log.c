/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Log files that cannot be written, empty logs, and the exact text of a log of imported scores. */
#include "check.h"

static void content_is(const char *path, const char *expected)
{
    char *found = file_content(path);
    REQUIRE(found != NULL);
    CHECK_TEXT(found, expected);
    free(found);
}

static char *lines_of_write(VmafContext *vmaf, const char *path, int format)
{
    struct capture capture = begin_capture();
    int result = vmaf_write_output(vmaf, path, (enum VmafOutputFormat)format);
    char *lines = end_capture(capture);
    CHECK_INT(result, -EINVAL);
    return lines;
}

static void files_that_cannot_be_written(VmafContext *vmaf)
{
    for (int format = 1; format <= 4; format++) {
        char *lines = lines_of_write(vmaf, "no such folder/log", format);
        CHECK_TEXT(lines, "could not open file: no such folder/log\n");
        free(lines);
        lines = lines_of_write(vmaf, ".", format);
        CHECK_TEXT(lines, "could not open file: .\n");
        free(lines);
        lines = lines_of_write(vmaf, "", format);
        CHECK_TEXT(lines, "could not open file: \n");
        free(lines);
        lines = lines_of_write(vmaf, NULL, format);
        CHECK_CONTAINS(lines, "NULL");
        free(lines);
        if (access("/dev/full", W_OK) == 0) {
            lines = lines_of_write(vmaf, "/dev/full", format);
            CHECK_CONTAINS(lines, "/dev/full");
            free(lines);
        }
    }
}

static void formats_that_do_not_exist(VmafContext *vmaf)
{
    static const int bad[] = { -1, 0, 5, 99 };
    for (int i = 0; i < 4; i++) {
        free(lines_of_write(vmaf, "none.log", bad[i]));
        CHECK(access("none.log", F_OK) != 0);
    }
}

static void empty_logs(void)
{
    char expected[1024];
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_write_output(vmaf, "empty.xml", VMAF_OUTPUT_FORMAT_XML), 0);
    CHECK_INT(vmaf_write_output(vmaf, "empty.json", VMAF_OUTPUT_FORMAT_JSON), 0);
    CHECK_INT(vmaf_write_output(vmaf, "empty.csv", VMAF_OUTPUT_FORMAT_CSV), 0);
    CHECK_INT(vmaf_write_output(vmaf, "empty.sub", VMAF_OUTPUT_FORMAT_SUB), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
    snprintf(expected, sizeof(expected),
             "<VMAF version=\"%s\">\n  <params qualityWidth=\"0\" qualityHeight=\"0\" />\n  <fyi fps=\"-nan\" />\n"
             "  <frames>\n  </frames>\n  <pooled_metrics>\n  </pooled_metrics>\n  <aggregate_metrics />\n</VMAF>\n",
             vmaf_version());
    content_is("empty.xml", expected);
    snprintf(expected, sizeof(expected),
             "{\n  \"version\": \"%s\",\n  \"fps\": null,\n  \"frames\": [\n  ],\n  \"pooled_metrics\": {\n  },\n"
             "  \"aggregate_metrics\": {\n  }\n}\n",
             vmaf_version());
    content_is("empty.json", expected);
    content_is("empty.csv", "Frame,\n");
    content_is("empty.sub", "");
}

/* A first index above 0, gaps, values that are not finite, small values, names to be escaped (which names of XML
 * attributes cannot be: letters that are not allowed there become underscores). */
static VmafContext *imported(void)
{
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_import_feature_score(vmaf, "first", 1.5, 3), 0);
    CHECK_INT(vmaf_import_feature_score(vmaf, "a\"<&\\", INFINITY, 3), 0);
    CHECK_INT(vmaf_import_feature_score(vmaf, "last", -0.0, 3), 0);
    CHECK_INT(vmaf_import_feature_score(vmaf, "first", 4e-7, 200), 0);
    CHECK_INT(vmaf_import_feature_score(vmaf, "last", -INFINITY, 200), 0);
    return vmaf;
}

static void exact_text(VmafContext *vmaf)
{
    char expected[2048];
    CHECK_INT(vmaf_write_output(vmaf, "imported.xml", VMAF_OUTPUT_FORMAT_XML), 0);
    snprintf(expected, sizeof(expected),
             "<VMAF version=\"%s\">\n  <params qualityWidth=\"0\" qualityHeight=\"0\" />\n  <fyi fps=\"-nan\" />\n"
             "  <frames>\n"
             "    <frame frameNum=\"3\" first=\"1.500000\" a____=\"inf\" last=\"-0.000000\" />\n"
             "    <frame frameNum=\"200\" first=\"0.0000004000000000\" last=\"-inf\" />\n"
             "  </frames>\n  <pooled_metrics>\n    <metric name=\"first\" />\n"
             "    <metric name=\"a&quot;&lt;&amp;\\\" />\n    <metric name=\"last\" />\n"
             "  </pooled_metrics>\n  <aggregate_metrics />\n</VMAF>\n",
             vmaf_version());
    content_is("imported.xml", expected);
    CHECK_INT(vmaf_write_output(vmaf, "imported.json", VMAF_OUTPUT_FORMAT_JSON), 0);
    snprintf(expected, sizeof(expected),
             "{\n  \"version\": \"%s\",\n  \"fps\": null,\n  \"frames\": [\n"
             "    {\n      \"frameNum\": 3,\n      \"metrics\": {\n        \"first\": 1.500000,\n"
             "        \"a\\\"<&\\\\\": null,        \"last\": -0.000000\n      }\n    },\n"
             "    {\n      \"frameNum\": 200,\n      \"metrics\": {\n        \"first\": 0.0000004000000000,\n"
             "        \"last\": null      }\n    }\n  ],\n"
             "  \"pooled_metrics\": {\n    \"first\": {\n    },\n    \"a\\\"<&\\\\\": {\n    },\n"
             "    \"last\": {\n    }\n  },\n  \"aggregate_metrics\": {\n  }\n}\n",
             vmaf_version());
    content_is("imported.json", expected);
    CHECK_INT(vmaf_write_output(vmaf, "imported.csv", VMAF_OUTPUT_FORMAT_CSV), 0);
    content_is("imported.csv", "Frame,first,a\"<&\\,last,\n3,1.500000,inf,-0.000000,\n"
                               "200,0.0000004000000000,,-inf,\n");
    CHECK_INT(vmaf_write_output(vmaf, "imported.sub", VMAF_OUTPUT_FORMAT_SUB), 0);
    content_is("imported.sub", "{3}{4}frame: 3|first: 1.500000|a\"<&\\: inf|last: -0.000000|\n"
                               "{200}{201}frame: 200|first: 0.0000004000000000|last: -inf|\n");
}

/* A shorter log replaces a longer one; a log can be written at any time, and again. */
static void replaced(VmafContext *vmaf)
{
    CHECK_INT(vmaf_write_output(vmaf, "again.log", VMAF_OUTPUT_FORMAT_XML), 0);
    CHECK_INT(vmaf_write_output(vmaf, "again.log", VMAF_OUTPUT_FORMAT_CSV), 0);
    char *csv = file_content("imported.csv");
    REQUIRE(csv != NULL);
    content_is("again.log", csv);
    free(csv);
    CHECK_INT(vmaf_import_feature_score(vmaf, "last", 1.0, UINT_MAX), 0);
    CHECK_INT(vmaf_write_output(vmaf, "again.log", VMAF_OUTPUT_FORMAT_SUB), 0);
    char *sub = file_content("again.log");
    REQUIRE(sub != NULL);
    CHECK_CONTAINS(sub, "frame: 4294967295|last: 1.000000|\n");
    free(sub);
}

int main(void)
{
    empty_logs();
    VmafContext *vmaf = imported();
    files_that_cannot_be_written(vmaf);
    formats_that_do_not_exist(vmaf);
    exact_text(vmaf);
    replaced(vmaf);
    CHECK_INT(vmaf_close(vmaf), 0);
    return check_result();
}
